// What the page's modules leave on, and take from, the window.
interface Window { a3tApp: any; a3tSettings: any }
