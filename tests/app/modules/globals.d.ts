// What the page's modules leave on, and take from, the window.
interface Window { a3tApp: any; a3tSettings: any }

// What an audio worklet has besides; the compiler's libraries lack it.
declare class AudioWorkletProcessor { readonly port: MessagePort; }
declare function registerProcessor(name: string, processor: typeof AudioWorkletProcessor): void;
