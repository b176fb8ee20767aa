#!/usr/bin/env bash
# Fetches a corpus that archives.tsv lists: announced, resumed, checked, unpacked once.
#   shared/download.sh vctk downloads
set -euo pipefail
corpus=$1 folder=$2
archives=${A3T_ARCHIVES:-$(dirname "$0")/archives.tsv}

whole() { echo "$digest  $1" | "${algorithm}sum" --check --status; } # FILE: as it was published

mkdir -p "$folder"
while IFS=$'\t' read -r name size licence algorithm digest url; do
    if [ "$name" != "$corpus" ]; then continue; fi
    file=$folder/${url##*/}
    if [ ! -e "$file" ]; then
        echo "Fetching $url: $size GB ($licence)"
        if ! curl --fail --location --retry 3 --continue-at - --output "$file.part" "$url" && ! whole "$file.part"; then
            echo "$url can't be fetched; what has come is kept: run the command again to resume." >&2
            exit 1
        elif ! whole "$file.part"; then
            rm "$file.part"
            echo "$url is not the published file (its $algorithm differs) and was deleted: run the command again." >&2
            exit 1
        fi
        mv "$file.part" "$file"
    fi
    if [ ! -e "$folder/.${file##*/}.unpacked" ]; then
        echo "Unpacking ${file##*/}"
        case $file in
        *.zip) unzip -oq "$file" -d "$folder" ;;
        *) tar -xf "$file" -C "$folder" ;;
        esac
        touch "$folder/.${file##*/}.unpacked"
    fi
done <"$archives"
