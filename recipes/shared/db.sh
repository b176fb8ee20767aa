# Where each corpus is, or is fetched to: change it here, export it, or give --corpora.
# shellcheck disable=SC2034 # a recipe reads its own
LJSPEECH=${LJSPEECH:-downloads/LJSpeech-1.1}
VCTK=${VCTK:-downloads/VCTK-Corpus-0.92}
LIBRITTS=${LIBRITTS:-downloads/LibriTTS}
