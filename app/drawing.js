// The stage's pictures; comes before stage.js in the same function, and draws what that keeps.

const MIN_PIXELS_PER_SECOND = 150;
const NAMES = 16, WAVE = 64, MEL = 96, TIER = 16; // heights: names of edits, waveform, mel, phones
const LIGHT = { replace: "#0072B2", insert: "#008060", delete: "#C04D00" };
const DARK = { replace: "#56B4E9", insert: "#35C79D", delete: "#FF9B5E" };
const SIGNS = { replace: "↔", insert: "+", delete: "−" };

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

function drawOverview(data) {
  const canvas = find("overview"), width = Math.max(canvas.clientWidth, 1), height = 40;
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d"), pairs = data.overview.length / 2;
  const x = (time) => (time / data.duration) * width;
  pen.fillStyle = getComputedStyle(element).getPropertyValue("--body-text-color") || "#222";
  pen.globalAlpha = 0.55;
  for (let k = 0; k < pairs; k++) {
    const low = data.overview[2 * k], high = data.overview[2 * k + 1];
    pen.fillRect((k / pairs) * width, (1 - high / 100) * (height / 2), Math.max(width / pairs, 0.7), Math.max(((high - low) / 100) * (height / 2), 1));
  }
  pen.fillStyle = "#E69F00";
  pen.globalAlpha = 0.35;
  pen.fillRect(x(data.start), 0, Math.max(x(data.end - data.start), 3), height);
  pen.globalAlpha = 1;
  const colours = element.closest(".dark") ? DARK : LIGHT;
  for (const mark of data.marks) {
    pen.fillStyle = colours[mark.op];
    pen.fillRect(x(mark.start), 0, Math.max(x(mark.end - mark.start), 2), height);
  }
}

