// What the server sends and takes (a3t.projects, app.studio), which tests/app/test_page_records.py compares with the
// records, and what the page adds to it.

export interface Cut { kind: string; action: string; start: number; end: number }

/** Words of a change's text, from number `at` on, that are recorded: one for each token, or word of another file. */
export interface RecordedWords { at: number; tokens: number[]; file?: string }

/** at: when it was typed, seconds by the server's clock. rivals: changes of its place that were typed earlier elsewhere. */
export interface Change {
  after: number;
  tokens: number[];
  text: string;
  take: number | null;
  accepted: boolean;
  cut: Cut | null;
  take_of?: string;
  recorded?: RecordedWords[];
  at?: number;
  rivals?: Change[];
}

/** key: of its own takes, null until the server has told it. made: that of those that are heard: close changes are made as one. */
export interface Edit extends Change { key: string | null; made?: string }

/** A change whose key may not have been told yet. */
export type UntoldEdit = Change & Partial<Edit>;

export interface Correction { after: number; right: number | null; tokens: number[] | null; text: string; was?: string }

/** What a step says of the words: tokens by their ids with seconds, who says those from one id to another. */
export interface WordFields {
  marks?: boolean;
  capitals?: boolean;
  times?: [id: number, start: number, end: number][];
  speakers?: [name: string, rows: [first: number, last: number][]][];
}

/**
 * The changes that went and those that came; one that did both has another take, or is accepted. What the words were
 * and are. A gentle step takes another one back, the one named `undo`, or brings back the one named `redo`, and gives
 * way to what has come since. name: what the server calls it.
 */
export interface Step<C extends Change = Edit> {
  gone: C[];
  come: C[];
  was?: WordFields;
  now?: WordFields;
  correct?: Correction[];
  gentle?: boolean;
  label?: string;
  undo?: string;
  redo?: string;
  name?: string;
  n?: number;
}

/** What stands in the field. */
export interface Draft { first: number; last: number; text: string; mode: "edit" | "insert" | "correct" }
export type Mode = Draft["mode"];

/** A token as it is sent; as `Token` is it shown. */
/** Without a score while it waits for its times, which are guessed. */
export type SentToken = [id: number, text: string, start: number, end: number, score: number | null, pause: number, speaker?: string];
export interface Token { id: number; text: string; start: number; end: number; score: number; waits: boolean; pause: boolean; speaker: string; heard?: string }

export interface PatchSpan { source: [first: number, last: number]; length: number }
export interface NewWord { span: number; word: number; text: string; start: number; end: number; length: [edit: number, unit: number] | null }
export interface Pronunciation { said: string; phones: string }
/** base: the take of which it is another length. */
export interface TakeRecord {
  number: number;
  pace: number;
  duration: number | null;
  spans: PatchSpan[];
  words: NewWord[];
  seconds: number;
  doubts: string[];
  guessed: Record<string, string>;
  lengths: number[][];
  offered: Record<string, Pronunciation[]>;
  level?: number;
  doubtful: string[];
  recorded: number | null;
  punch_in?: boolean;
  other?: string;
  base?: number;
}

/** kind, file_channels, sample_bytes: of the file that is exported as it was recorded. */
export interface Sound { sample_rate: number; channels: number; samples: number; seconds: number; kind: string; file_channels: number; sample_bytes: number }
/** A track of a conversation, some of the channels of the sound. */
export interface SpeakerTrack { name: string; channels: number }
export interface Progress {
  share: number;
  done: boolean;
  problem: string;
  other_text: string | null;
  missing: [start: number, end: number][];
  text: string;
}
/** What may be done about the speaker's voice: share and left_s, seconds, of learning it. */
export interface VoiceOffer { state: "none" | "offered" | "learning" | "learnt"; name: string; share: number; left_s: number | null; problem: string }
export interface FurtherRecording { kind: "source" | "track"; file: string; name: string; seconds: number; problem: string; said: string | null }

export interface SavedScript { revision: number; edits: Edit[]; corrections: Correction[]; now: number; refused: number[] }
export interface ShownScript extends SavedScript {
  draft: Draft | null;
  takes: Record<string, TakeRecord[]>;
  failures: Record<string, string>;
  making: string[];
}
export interface DocumentLimits { changes: number; characters: number; doubtful_below: number }
export interface ShownProject extends ShownScript {
  id: string;
  name: string;
  version: number;
  limits: DocumentLimits;
  sound: Sound | null;
  listening: Progress;
  tokens: SentToken[];
  film: number | null;
  offered: string | null;
  pronunciations: Record<string, string>;
  names: string;
  tells_speakers: boolean;
  marks: boolean | null;
  recordings: FurtherRecording[];
  tracks: SpeakerTrack[];
  voice: VoiceOffer;
  done: Step[];
  undone: Step[];
  first_id: number;
}

export type ProjectEvent =
  | { kind: "reload" | "recordings" }
  | { kind: "name"; name: string }
  | { kind: "gone"; sentence: string; binned?: boolean }
  | { kind: "part"; gone: number[]; tokens: SentToken[] }
  | { kind: "corrections"; corrections: Correction[] }
  | { kind: "making"; key: string }
  | { kind: "takes"; key: string; takes: TakeRecord[] }
  | { kind: "speakers"; step: Step }
  | { kind: "marks"; marks: boolean | null }
  | { kind: "names"; names: string }
  | { kind: "voice"; voice: VoiceOffer }
  | { kind: "pronounced"; pronunciations: Record<string, string> }
  | { kind: "failed" | "refused"; key: string; sentence: string }
  | { kind: "exported"; name: string }
  | { kind: "saved"; revision: number }
  | { kind: "listening" } & Progress;

/** What is sent of a script. */
export interface SentScript { page: string; steps: Step<Change>[]; draft: Draft | null | undefined; settings: Settings }
export type Settings = Record<string, any>;

/** An option of the server's table; kind: what a value is. */
export interface Option {
  name: string;
  kind: "number" | "whole" | "switch" | "one" | "some";
  default: any;
  sentence: string;
  least: number | null;
  most: number | null;
  unit: string;
  choices: string[];
  advanced: boolean;
}
export interface Limits { bytes: number; length: string; choices: Record<string, string[]>; exports: string[]; options: Option[]; cleaning: Option[] }

export interface RecentProject { id: string; name: string; seconds: number | null; opened: number; edits: number; binned: boolean }
export interface Finding { kind: string; text: string; start: number; end: number; again?: [start: number, end: number]; edit: Edit }
export interface Offered { found: Finding[]; unnamed: string[] }
export interface FetchState { state: "none" | "offered" | "fetching"; problem: string; server: string; share: number; megabytes: number }
/** A word that is heard while it is recorded. */
export type LiveWord = [text: string, start: number, end: number];
