(async () => {
"use strict";
const one = id => document.getElementById(id);
const {patches, said} = JSON.parse(one("film").textContent);
const pictures = patches.map(patch => Object.assign(new Image(), {src: "data:image/png;base64," + patch[3]}));
await Promise.all(pictures.map(picture => picture.decode()));
const last = patches.length - 1, place = one("place"), play = one("play"), now = one("now");
const canvas = Object.assign(document.createElement("canvas"), {width: pictures[0].width, height: pictures[0].height});
canvas.setAttribute("role", "img");
const pen = canvas.getContext("2d");
let at = 0, drawn = -1, timer = 0;
const draw = () => {
  for (let k = drawn < at ? drawn + 1 : 0; k <= at; k++) pen.drawImage(pictures[k], patches[k][0], patches[k][1]);
  drawn = at;
  place.value = at;
  place.setAttribute("aria-valuetext", `moment ${at + 1} of ${last + 1}`);
  now.textContent = said[at];
  canvas.setAttribute("aria-label", said[at]);
};
const pause = () => { clearTimeout(timer); timer = 0; play.textContent = "Play"; now.setAttribute("aria-live", "polite"); };
const wait = () => { timer = setTimeout(on, patches[at][2] / Number(one("speed").value)); };
const on = () => {
  if (at === last) return pause();
  at += 1;
  draw();
  wait();
};
const start = () => {
  if (at === last) { at = 0; draw(); }
  now.setAttribute("aria-live", "off");
  play.textContent = "Pause";
  wait();
};
const toggle = () => timer ? pause() : start();
const go = k => { pause(); at = Math.min(last, Math.max(0, k)); draw(); };
play.addEventListener("click", toggle);
one("back").addEventListener("click", () => go(at - 1));
one("step").addEventListener("click", () => go(at + 1));
place.addEventListener("input", () => go(Number(place.value)));
const keys = {ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(last), " ": toggle};
document.addEventListener("keydown", event => {
  const own = event.target.closest("select, summary") || (event.key === " " && event.target.closest("button"));
  if (own || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
place.max = last;
one("stage").replaceChildren(canvas);
one("controls").hidden = false;
draw();
})();
