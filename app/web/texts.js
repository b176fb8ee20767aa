// Every sentence that the script shows.

export const TEXTS = {
  brand: "speech editor",
  title: "Change what a recording says",
  shown_example: ["And you", "always", "never", "want to see it"],
  all_of_them: "All {} projects",
  lead: "Drop a recording here, or a track of each speaker. Its words become a script: change them, and hear them in the same voice.",
  lead_touch: "Choose or record something, or a track of each speaker. Its words become a script: change them, and hear them in the same voice.",
  choose: "Choose a recording",
  record: "Record yourself",
  stop_recording: "Stop recording",
  example: "Try an example",
  own_text: "I have its transcript", paste_text: " (or paste it here)",
  own_text_hint: "Paste it, or choose a .txt, .docx, .srt or .vtt file. Without one, a3t recognises the words.",
  text_file: "From a file",
  log_in: "Log in", user: "Name", password: "Password",
  recent: "Recent projects",
  no_recent: "Projects are saved as you work, and listed here.",
  formats: "Kept on this computer. WAV, FLAC, MP3, OGG, M4A, MP4 and more, or a saved project: up to {} and {}.",
  too_large: "{} has {}; the limit is {}: save it as FLAC or MP3, cut it, or use the command line, which has no such limit.",
  panels: { changes: "Changes", cleaning: "Clean up", recordings: "Recordings" },
  dropped: "What is this for?", open_new: "Open as a project of its own", search: "Find a recording by its name",
  exists: "You have “{}” here already, with {}. Replace it with this file?", keep_both: "Keep both", replace_project: "Replace it", save_project: "Save as one file",
  whisper: "This recording has no transcript. Whisper recognises it better than the built-in recogniser: {} MB, fetched once from {}; then it works offline. Nothing is sent anywhere.", fetch: "Fetch", not_now: "Not now", fetching: "Fetching Whisper… {} %",
  uploading: "Uploading", opening: "Opening", listening: "Listening", all_projects: "Projects",
  marks_off: "Remove the added punctuation", marks_on: "Add punctuation",
  speakers: "Tell the speakers apart", speakers_hint: "a3t tells them apart by their voices. How many people speak?", any_number: "I don't know",
  telling: "Telling the speakers apart", rename: "Who is this?", everywhere: "Everywhere", here: "Only here",
  rename_project: "Rename this project", save: "Save", correct_text: "Correct the transcript", use_text: "Use this transcript", without_text: "Open without it",
  recording_kept: "The recording was stopped. It is kept, and listed on the start page.", late: "Words come late: this computer is busy. All of the sound is recorded.",
  undo: "Undo", redo: "Redo", find: "Find and replace", keys: "Keyboard shortcuts", export: "Export",
  film: "The film", film_unseen: "This browser can't show the film. Export writes it all the same.", film_longer: "The edited sound is {} s longer than the picture: to export the film, replace words instead of adding some.", film_shorter: "The edited sound is {} s shorter than the picture: to export the film, replace words instead of deleting some.",
  exports: { audio: "Audio", film: "Film", subtitles: "Subtitles", transcript: "Transcript", timeline: "Timeline", "": "All files" },
  export_kinds: {
    subtitles: { ".srt": "SubRip (SRT)", ".vtt": "WebVTT" }, transcript: { ".md": "Markdown", ".txt": "Text", ".docx": "Word" },
    timeline: { ".fcpxml": "Final Cut Pro", ".xml": "Premiere Pro", ".otio": "OpenTimelineIO", ".edl": "EDL", ".rpp": "Reaper" },
  },
  download: "Download", about_size: "about {} MB",
  keeps_nothing: "This browser keeps nothing of this page: settings last until you close it. Projects are saved all the same.",
  preparing: "Preparing", saved: "Saved", saving: "Saving", offline: "No connection: your changes are kept here and sent once it is back",
  transcript: "Transcript. Arrow keys select words; type to replace them.",
  type_here: "The new words", say_here: "The words to say", correct_here: "What is said here",
  play_word: "Play", replace: "Replace", remove: "Delete", insert: "Insert", insert_hint: "New words after these", fix: "Fix transcript", fix_hint: "Correct what was misheard. The sound stays the same.", fix_all: "Fix transcript everywhere", selected: "Selected words",
  say_words: "Record these words", say_hint: "Say them as they should sound there: alone, or in their sentence. a3t fits the recording to its place.", say_record: "Record", say_file: "From a file", say_others: "Type the new words, then record them.", said_by_you: "Recorded for this change",
  recordings: "Other recordings", add_recordings: "Add a recording or track", recordings_of: {
    source: { title: "To take words from", add: "Add a recording", hint: "The same speaker, as in a second reading. Put words into the script by the button, or copy and paste them: four or more keep their sound." },
    track: { title: "Other speakers", add: "Add a track", hint: "Another speaker, recorded at the same time in a file of their own. Before the first change it joins the script and is heard along; later it only stays in step, and All files has it." },
  },
  put_words: "Put into the script", put_words_hint: "The words selected here, or all, come after those selected in the script", no_place: "Select the word in the script after which they are to stand.",
  changes: "Changes", no_changes: "No changes yet",
  no_changes_hint: "Select words in the transcript and type new ones. Each change appears here, in the same voice.",
  clean: "Clean up", clean_hint: "Nothing changes until you choose: all at once, or one by one.", find_them: "Look for", do_it: "Take out",
  found_kinds: { filler: "Fillers", repeat: "Repeats", noise: "Noises", pause: "Pauses", retake: "Retakes", breath: "Breaths", click: "Clicks", word: "Named" },
  hide: "Mute or bleep words", hide_hint: "Anna, the bank", hidings: { mute: "Mute", bleep: "Bleep" }, unnamed: "The transcript has no {}.", take_that_stays: "Play the take that stays",
  found_none: "Nothing of this kind was found.", looking: "Looking…",
  take_out: "Remove", take_all: "Remove all {}",
  offered_here: "Can be removed",
  cuts: { filler: "filler", repeat: "repetition", noise: "noise", pause: "pause", retake: "retake", breath: "breath", click: "click", word: "hidden word" },
  pause_by: "pause {} s", pause_drag: "Drag to make this pause longer or shorter.",
  word_drag: "Drag to make this word longer or shorter.",
  deleted: "deleted", hidden: { mute: "(muted)", bleep: "(bleeped)" }, in_context: "Play in context", loop: "Loop",
  take: "Take {}", takes: "Take", recorded_at: "Said at {} in this recording", recorded_in_other: "Said at {} in another recording", again: "Another take", longer: "Longer", shorter: "Shorter",
  accept: "Accept", accept_hint: "Accept marks a change as checked; it is exported either way.", more: "More", accepted: "Accepted", revert: "Undo this change", change_text: "Change the words", try_again: "Try again",
  accept_all: "Accept all",
  names: "Names and words", names_hint: "One a line, perhaps as it sounds: Kyiv=KEE-yev. a3t listens for them in this project.",
  settings: "Settings", advanced: "Advanced", settings_hint: "They apply to new changes.",
  settings_of: { kind: "File type", loudness: "Loudness", voice: "Voice", model: "Model", vocoder: "Vocoder", aligner: "Finds words with" },
  kinds: { "": "As recorded (WAV or FLAC)", ".wav": "WAV", ".flac": "FLAC", ".mp3": "MP3", ".m4a": "M4A" }, loudnesses: /** @type {[number|null, string][]} */ ([[null, "As recorded"], [-16, "−16 LUFS, for podcasts"], [-23, "−23 LUFS, for radio"]]),
  choices: { bandwidth: "frequency range", spectrum: "tone", room: "room and noise", coding: "compression", cut: "Cut out", mute: "Mute" }, no_voice: "The recording’s own",
  sentence_case: "Sentence case instead of capitals", retext: "Give it a transcript…", retext_hint: "What the recording says. Its words and their times are found again.",
  consent: "Edit only recordings of yourself, or of people who agree to it, and tell your listeners that the recording was edited: the edit.json says where.", spectrogram: "Spectrogram", audio_height: "Height of the audio",
  state: { making: "Making…", made: "Ready", accepted: "Accepted", failed: "Not made", waits: "Waiting for its place in the sound" },
  hardly_heard: "Listen closely: {} can hardly be heard.",
  guessed: "{} is in no dictionary; its pronunciation was guessed. Write it as it sounds:", said_as: "{} is said as", as_it_sounds: "KEE-yev", say_so: "Say it so",
  rival: "“{}” was typed here earlier, in another window.", take_rival: "Take it", lost_here: "{} was typed earlier in another window: it is kept with the change that was typed later.",
  made_with: "Made together with {} close to it.", accepted_alone: "You accepted it alone; now it is made together with {} close to it. Listen to it again.", accepted_with: "You accepted it together with a change close to it; now it is made alone. Listen to it again.",
  same_sound: "Only the spelling changes.",
  original: "Original", edited: "Edited", play: "Play", pause: "Pause", back: "Back 5 seconds", forward: "Forward 5 seconds",
  mute: "Mute {}", solo: "Only {}",
  speed: "Speed", zoom_in: "Zoom in", zoom_out: "Zoom out", fit: "Whole recording", audio: "Waveform and spectrogram", boundary: "Drag a word’s edges to correct its times.", stretch: "Drag to make the new words longer or shorter.",
  position: "Position", listen_to: "Listen to",
  doubtful: "Check this word", waits_place: "Its place in the sound is being found: change it already",
  find_label: "Find", replace_label: "Replace with", next: "Next", replace_all: "Replace all", close: "Close", found: "{} of {}", not_found: "Not found",
  delete_project: "Delete", delete_sure: "Delete “{}” and its recording for good?", cancel: "Cancel",
  missing: "Recognising… click to start here",
  unsaved: "Not saved: {} Kept in this browser, trying again.",
  no_words: "“{}” has no words that can be said. Type words, or press Delete to remove the selected ones.",
  too_much: "A change can have 2,000 characters, a project 2,000 changes.",
  ready: "{} is ready", lost: "The server does not answer.", sent_later: "The server does not answer: this is kept, and sent once it does.",
  no_microphone: "The microphone can't be used: allow it in the browser, or upload a file.",
  too_many: "Drop recordings, or one saved project.",
  offered: "Try it: change “{}” to “{}”",
  learn_voice: "Once a3t has learnt this voice, in about five minutes on a laptop, new words sound more like the speaker, if perhaps less clear.", learn_it: "Learn it…", not_offered_again: "Don't offer it again for this project",
  voice_consent: "A voice belongs to a person. Does the speaker of this recording agree that a3t learns to speak in this voice? It stays on this computer.", speaker_agrees: "Yes, the speaker agrees",
  learning_voice: "Learning the voice: {} %", seconds_left: "{} s left", minutes_left: "{} min left",
  voice_learnt: "The voice is learnt, as “{}”. Changes that are made stay as they are: “Another take” makes one anew.", use_voice: "Use it for new words",
  synthetic: "{} s of this recording are synthetic",
  waits_made: "Waiting for {}…", waits_heard: "Listening… {} %", stop: "Stop",
  export_failed: "“{}” failed: undo it, or try again.",
  not_arrived: "A recording of {} from {} was never sent.", send_it: "Open it",
  bin: "Recently deleted: {}", restore: "Restore",
  follow: "Follow playback",
  edits: (/** @type {number} */ count) => `${count} change${count === 1 ? "" : "s"}`,
  shortcuts: [
    ["Space", "Play or pause"], ["← →", "From word to word"], ["Shift + ← →", "Select words"],
    ["Enter", "Replace the selected words"], ["F2", "Fix what was misheard"], ["any letter", "Type over the selected words"], ["Delete", "Delete the selected words"],
    ["Insert", "Insert words after the selected ones"], ["Alt + ↑ ↓", "From change to change"],
    ["Ctrl + Enter", "Make the change and hear it"], ["Ctrl + Z", "Undo"], ["Ctrl + Shift + Z", "Redo"],
    ["Ctrl + A, C, X, V", "Select all, copy, cut, paste words"], ["Ctrl + F", "Find and replace"], ["Esc", "Select nothing"],
  ],
  steering: "While no word is selected",
  steering_keys: [["J  K  L", "Back, pause, faster"], ["O", "Original or edited"], ["A", "Accept the selected change"], ["1 – 9", "Choose a take of it"], ["+ −", "Zoom"], ["?", "This list"]],
};

/** A text with {} filled in, one after the other. @param {string} text @param {...(string|number)} values */
export function tell(text, ...values) {
  return text.replace(/\{\}/g, () => String(values.shift()));
}

/** 1:02:03, or 2:03.4 with tenths. @param {number} seconds */
export function clock(seconds, tenths = false) {
  const whole = Math.floor(seconds + 1e-6), two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
  const base = hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
  return tenths ? `${base}.${Math.floor((seconds - whole) * 10 + 1e-6)}` : base;
}

/** What an edit becomes, "" for nothing: its words, or what is done to a pause, to sound between words, or to hidden ones. @param {import("./script/script.js").Script} script @param {import("./records").Edit} edit */
export function named(script, edit) {
  if (script.isHidden(edit)) return TEXTS.hidden[edit.cut?.action === "bleep" ? "bleep" : "mute"];
  if (!script.isPause(edit)) return edit.cut && !edit.tokens.length ? TEXTS.cuts[/** @type {keyof typeof TEXTS.cuts} */ (edit.cut.kind)] : edit.text;
  const by = script.growth(edit);
  return tell(TEXTS.pause_by, `${by < 0 ? "−" : "+"}${Math.abs(by).toFixed(2)}`);
}
