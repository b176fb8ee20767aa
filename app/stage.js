// The stage: waveform, mel, words and phones of the recording and, beneath, of the edited one.
// With drawing.js before it, it runs as the body of a function (element, trigger, props, server,
// upload, watch); `props.value` is what app/view.py's stage() makes, TEXTS is app/texts.py's
// STAGE_TEXTS. Nothing is drawn as HTML: texts are set as text.

const find = (name) => element.querySelector(`[data-part=${name}]`);
const sides = {}; // name -> { data, audio, canvas, head, image }
let selected = null; // { number, start, end } of a word of the recording
let playing = null; // { name, until }
let joints = [];

const tell = (name, ...values) => TEXTS[name].replace(/\{\}/g, () => values.shift());
const seconds = (value) => tell("seconds", value.toFixed(2));
const clock = (value) => {
  const whole = Math.floor(value), two = (number) => String(number).padStart(2, "0");
  const minutes = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${minutes}` : minutes;
};
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
  side.audio.play().catch((error) => say(tell("unplayable", error.message)));
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

// ---- words ----------------------------------------------------------------------------------------

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
    const told = [word.text, tell("span", seconds(word.start), seconds(word.end))];
    if (word.doubtful) told.push(tell("doubtful", word.score));
    if (word.edited) told.push(TEXTS.in_an_edit);
    button.title = told.join(", ");
    button.setAttribute("aria-label", button.title);
    button.tabIndex = words.childElementCount ? -1 : 0; // one stop for the Tab key, then arrow keys
    button.addEventListener("click", () => {
      play(data.name, word.start, word.end);
      if (data.name === "before") select(word);
    });
    words.append(button);
  }
}

function walk(event) {
  const all = [...event.currentTarget.children], at = all.indexOf(event.target);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (at < 0 || !all[to]) return;
  event.preventDefault();
  all[at].tabIndex = -1;
  all[to].tabIndex = 0;
  all[to].focus();
}

function build(data) {
  const track = document.createElement("div");
  track.className = "a3t-track";
  const words = document.createElement("div");
  words.className = "a3t-words";
  words.setAttribute("role", "toolbar");
  words.setAttribute("aria-label", TEXTS.words);
  words.addEventListener("keydown", walk);
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
    side.canvas.setAttribute("aria-label", `${box.dataset.title}: ${TEXTS.stage}, ${data.words.map((word) => word.text).join(" ")}`);
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
  if (long) {
    find("where").textContent = tell("span_of", clock(first.start), clock(first.end), clock(first.duration));
    find("place").max = Math.ceil(first.duration - (first.end - first.start));
    find("place").value = first.start;
    find("place").setAttribute("aria-valuetext", find("where").textContent);
    drawOverview(first);
  }
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
const page = (share) => {
  const { start, end } = sides.before.data;
  trigger("paged", { to: start + share * (end - start) });
};
find("earlier").addEventListener("click", () => page(-0.8));
find("later").addEventListener("click", () => page(0.8));
find("place").addEventListener("change", (event) => trigger("paged", { to: Number(event.target.value) }));
const redraw = () => Object.values(sides).forEach(drawSide);
new ResizeObserver(redraw).observe(element);
new MutationObserver(redraw).observe(document.body, { attributeFilter: ["class"] }); // light or dark
watch("value", show);
show();
