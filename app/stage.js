// The stage: waveform, mel, words and phones of the recording and, beneath, of the edited one.
// Runs as the body of a function (element, trigger, props, server, upload, watch); `props.value` is
// what app/view.py's stage() makes. Nothing is drawn as HTML: texts are set as text.

const MIN_PIXELS_PER_SECOND = 150;
const NAMES = 16, WAVE = 64, MEL = 96, TIER = 16; // heights: names of edits, waveform, mel, phones
const LIGHT = { replace: "#0072B2", insert: "#008060", delete: "#C04D00" };
const DARK = { replace: "#56B4E9", insert: "#35C79D", delete: "#FF9B5E" };
const SIGNS = { replace: "↔", insert: "+", delete: "−" };

const find = (name) => element.querySelector(`[data-part=${name}]`);
const sides = {}; // name -> { data, audio, canvas, head, image }
let selected = null; // { number, start, end } of a word of the recording
let playing = null; // { name, until }
let joints = [];

const seconds = (value) => `${value.toFixed(2)} s`;
const say = (text) => { find("said").textContent = text; };

function fileUrl(path) {
  const root = (window.gradio_config && window.gradio_config.root) || "";
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return `${root.replace(/\/$/, "")}/gradio_api/file=${encoded}`;
}

// ---- sound ---------------------------------------------------------------------------------------

function play(name, from, until) {
  const side = sides[name];
  if (!side) return;
  stop();
  playing = { name, until: until === undefined ? Infinity : until };
  side.audio.currentTime = from;
  side.audio.play().catch((error) => say(`The browser can't play this: ${error.message}`));
  requestAnimationFrame(follow);
}

function stop() {
  for (const side of Object.values(sides)) side.audio.pause();
  playing = null;
}

function follow() {
  for (const side of Object.values(sides)) place(side);
  if (!playing) return;
  const audio = sides[playing.name] && sides[playing.name].audio;
  if (!audio || audio.ended) { playing = null; return; }
  if (audio.currentTime >= playing.until) stop();
  requestAnimationFrame(follow);
}

function place(side) {
  const { start, end } = side.data;
  const share = (side.audio.currentTime - start) / (end - start);
  side.head.style.display = share >= 0 && share <= 1 ? "" : "none";
  side.head.style.left = `${share * 100}%`;
}

// The instant of the other recording in which the same is said.
function across(time, from) {
  const [a, b, c, d] = from === "before" ? [0, 1, 2, 3] : [2, 3, 0, 1];
  let shift = 0;
  for (const joint of joints) {
    if (time < joint[a]) break;
    if (time < joint[b]) {
      const share = (time - joint[a]) / Math.max(joint[b] - joint[a], 1e-6);
      return joint[c] + share * (joint[d] - joint[c]);
    }
    shift = joint[d] - joint[b];
  }
  return time + shift;
}

function listen(name) {
  const other = name === "before" ? "after" : "before";
  if (playing && playing.name === other) play(name, across(sides[other].audio.currentTime, other));
  else if (playing) stop();
  else {
    const { audio, data } = sides[name];
    const again = audio.ended || audio.currentTime < data.start || audio.currentTime >= data.end - 0.05;
    play(name, again ? data.start : audio.currentTime);
  }
}

// ---- picture -------------------------------------------------------------------------------------

function drawSide(side) {
  const { data, canvas } = side;
  const span = data.end - data.start;
  const width = Math.min(Math.max(element.clientWidth - 4, span * MIN_PIXELS_PER_SECOND), 8000);
  const height = NAMES + WAVE + MEL + TIER;
  side.track.style.width = `${width}px`;
  const scale = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const style = getComputedStyle(element);
  const ink = style.getPropertyValue("--body-text-color") || "#222";
  const colours = element.closest(".dark") ? DARK : LIGHT;
  const x = (time) => ((time - data.start) / span) * width;

  if (side.image.complete && side.image.naturalWidth) {
    pen.imageSmoothingEnabled = false;
    pen.drawImage(side.image, 0, NAMES + WAVE, width, MEL);
  }
  pen.fillStyle = ink;
  pen.globalAlpha = 0.6;
  const pairs = data.peaks.length / 2;
  for (let k = 0; k < pairs; k++) {
    const low = data.peaks[2 * k], high = data.peaks[2 * k + 1];
    const top = NAMES + WAVE / 2 - (high / 100) * (WAVE / 2 - 2);
    pen.fillRect((k / pairs) * width, top, Math.max(width / pairs, 0.7), Math.max(((high - low) / 100) * (WAVE / 2 - 2), 1));
  }
  pen.globalAlpha = 1;
  for (const mark of data.marks) {
    const left = x(mark.start), right = Math.max(x(mark.end), left + 2);
    pen.fillStyle = colours[mark.op];
    pen.globalAlpha = 0.22;
    pen.fillRect(left, NAMES, right - left, WAVE);
    pen.globalAlpha = 1;
    pen.strokeStyle = colours[mark.op];
    pen.lineWidth = 2;
    pen.strokeRect(left, NAMES, right - left, WAVE + MEL - 1);
    pen.font = "bold 12px sans-serif";
    pen.fillText(`${SIGNS[mark.op]} ${mark.words}`, left, NAMES - 4);
  }
  pen.font = "10px sans-serif";
  pen.textAlign = "center";
  for (const word of data.words) {
    pen.strokeStyle = ink;
    pen.lineWidth = 1;
    pen.globalAlpha = 0.5;
    for (const edge of [word.start, word.end]) line(pen, x(edge), NAMES, height);
    for (const [symbol, start, end] of word.phones) {
      pen.globalAlpha = 0.3;
      line(pen, x(start), NAMES + WAVE + MEL, height);
      pen.globalAlpha = 1;
      pen.fillStyle = ink;
      if (x(end) - x(start) > pen.measureText(symbol).width) pen.fillText(symbol, x((start + end) / 2), height - 4);
    }
    pen.globalAlpha = 1;
  }
  if (data.name === "before" && selected) {
    pen.fillStyle = "#E69F00";
    pen.globalAlpha = 0.25;
    pen.fillRect(x(selected.start), 0, x(selected.end) - x(selected.start), height);
    pen.globalAlpha = 1;
    for (const edge of [selected.start, selected.end]) pen.fillRect(x(edge) - 1.5, 0, 3, height);
  }
  pen.textAlign = "start";
}

function line(pen, x, top, bottom) {
  pen.beginPath();
  pen.moveTo(x, top);
  pen.lineTo(x, bottom);
  pen.stroke();
}

function drawWords(side) {
  const { data, words } = side;
  const span = data.end - data.start;
  words.replaceChildren();
  for (const word of data.words) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = word.text + (word.doubtful ? "?" : "");
    button.className = `a3t-word${word.doubtful ? " doubtful" : ""}${word.edited ? " edited" : ""}`;
    button.style.left = `${((word.start - data.start) / span) * 100}%`;
    button.style.width = `${((word.end - word.start) / span) * 100}%`;
    const state = (word.doubtful ? `, doubtful (${word.score})` : "") + (word.edited ? ", in an edit" : "");
    button.title = `${word.text}, ${seconds(word.start)} to ${seconds(word.end)}${state}`;
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", () => {
      play(data.name, word.start, word.end);
      if (data.name === "before") select(word);
    });
    words.append(button);
  }
}

function build(data) {
  const track = document.createElement("div");
  track.className = "a3t-track";
  const words = document.createElement("div");
  words.className = "a3t-words";
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  const head = document.createElement("div");
  head.className = "a3t-head";
  const audio = new Audio();
  audio.preload = "auto";
  track.append(words, canvas, head);
  const side = { data, track, words, canvas, head, audio, image: new Image() };
  canvas.addEventListener("pointerdown", (event) => grab(event, side));
  side.image.addEventListener("load", () => drawSide(side));
  return side;
}

function show() {
  const value = props.value || {};
  const shown = value.sides || [];
  stop();
  joints = value.joints || [];
  selected = null;
  for (const name of ["before", "after"]) {
    const data = shown.find((side) => side.name === name);
    const box = find(name);
    box.hidden = !data;
    find(`hear-${name}`).disabled = !data;
    if (!data) { delete sides[name]; continue; }
    const side = sides[name] || build(data);
    const url = fileUrl(data.file);
    if (side.url !== url) { side.url = url; side.audio.src = url; }
    side.data = data;
    sides[name] = side;
    find(`${name}-scroll`).replaceChildren(side.track);
    side.canvas.setAttribute("aria-label", `${box.dataset.title}: waveform and spectrogram, ${data.words.map((word) => word.text).join(" ")}`);
    if (side.image.src !== data.mel) side.image.src = data.mel;
    drawSide(side);
    drawWords(side);
    place(side);
  }
  const first = sides.before && sides.before.data;
  find("empty").hidden = Boolean(first);
  find("tools").hidden = !first;
  find("word").hidden = true;
  const long = first && first.duration > first.end - first.start + 0.01;
  find("pages").hidden = !long;
  if (long) find("where").textContent = `${seconds(first.start)} to ${seconds(first.end)} of ${seconds(first.duration)}`;
  const mark = first && first.marks[0];
  if (mark) {
    for (const side of Object.values(sides)) {
      const at = side.data.marks[0];
      const share = (at.start - side.data.start) / (side.data.end - side.data.start);
      const box = find(`${side.data.name}-scroll`);
      box.scrollLeft = Math.max(0, share * box.scrollWidth - 120);
    }
  }
}

// ---- a word's boundaries ---------------------------------------------------------------------------

function select(word) {
  selected = { number: word.number, start: word.start, end: word.end };
  find("word").hidden = false;
  find("word-name").textContent = word.text;
  fields();
  drawSide(sides.before);
}

function fields() {
  find("word-start").value = selected.start.toFixed(3);
  find("word-end").value = selected.end.toFixed(3);
}

function typed() {
  const start = Number(find("word-start").value), end = Number(find("word-end").value);
  if (selected && Number.isFinite(start) && Number.isFinite(end) && start < end) {
    selected.start = start;
    selected.end = end;
    drawSide(sides.before);
  }
}

function grab(event, side) {
  const { data, canvas } = side;
  const box = canvas.getBoundingClientRect();
  const time = (at) => data.start + ((at - box.left) / box.width) * (data.end - data.start);
  const perPixel = (data.end - data.start) / box.width;
  const now = time(event.clientX);
  if (data.name === "before" && selected) {
    const edge = ["start", "end"].find((name) => Math.abs(selected[name] - now) < 8 * perPixel);
    if (edge) {
      canvas.setPointerCapture(event.pointerId);
      const move = (moved) => {
        const to = time(moved.clientX);
        if (edge === "start" ? to < selected.end - 0.02 : to > selected.start + 0.02) selected[edge] = Math.min(Math.max(to, 0), data.duration);
        fields();
        drawSide(side);
      };
      canvas.addEventListener("pointermove", move);
      canvas.addEventListener("pointerup", () => {
        canvas.removeEventListener("pointermove", move);
        play("before", selected.start, selected.end);
      }, { once: true });
      return;
    }
  }
  play(data.name, now);
}

find("hear-before").addEventListener("click", () => listen("before"));
find("hear-after").addEventListener("click", () => listen("after"));
find("stop").addEventListener("click", stop);
find("word-start").addEventListener("input", typed);
find("word-end").addEventListener("input", typed);
find("word-hear").addEventListener("click", () => selected && play("before", selected.start, selected.end));
find("word-use").addEventListener("click", () => selected && trigger("moved", { number: selected.number, start: selected.start, end: selected.end }));
find("earlier").addEventListener("click", () => trigger("paged", { by: -1 }));
find("later").addEventListener("click", () => trigger("paged", { by: 1 }));
new ResizeObserver(() => Object.values(sides).forEach(drawSide)).observe(element);
watch("value", show);
show();
