// Puts the lab where a page has a place for it. Without scripts the still picture is all there is.
for (const place of document.querySelectorAll(".live")) {
  const { lab, title, link } = place.dataset;
  const frame = Object.assign(document.createElement("iframe"), { title, loading: "lazy", src: `${lab}&figure=1` });
  const anchor = Object.assign(document.createElement("a"), { href: lab, textContent: link });
  const line = document.createElement("p");
  line.append(anchor);
  place.append(frame, line);
}
