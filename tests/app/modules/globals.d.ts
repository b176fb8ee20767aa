// What the page's modules leave on the window.
interface Window { a3tApp: import("../../../app/web/app.js").App }

// What an audio worklet has besides; the compiler's libraries lack it.
declare class AudioWorkletProcessor { readonly port: MessagePort; }
declare function registerProcessor(name: string, processor: typeof AudioWorkletProcessor): void;
