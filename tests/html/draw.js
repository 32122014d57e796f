/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw.js PAGE: runs the script of a page of `xalloc-report html` without a browser; prints, as JSON, what it draws for
 * each metric, with allocating functions above, and what it says when it is searched and clicked. */
"use strict";
const fs = require("fs"), vm = require("vm");

const page = fs.readFileSync(process.argv[2], "utf8");
const data = page.match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1];
const script = page.match(/<script>\n([^]*?)<\/script>/)[1];
const elements = new Map();
let rects = [], texts = new Map();

const context = new Proxy({}, { get: (_, name) => (...args) => {
	if (name === "fillRect")
		rects.push(args);
	if (name === "fillText")
		texts.set(rects.length - 1, args[0]);
}, set: () => true });

function element(id) {
	if (!page.includes(`id="${id}"`))
		throw new Error(`the page has no ${id}`);
	const listeners = {};
	return { textContent: id === "data" ? data : "", style: {}, listeners, parentNode: { clientWidth: 1000 },
		addEventListener: (name, call) => { listeners[name] = call; }, getContext: () => context,
		getBoundingClientRect: () => ({ left: 0, top: 0 }) };
}

function get(id) {
	if (!elements.has(id))
		elements.set(id, element(id));
	return elements.get(id);
}

const layouts = [];
const world = { document: { getElementById: get }, window: { devicePixelRatio: 1, addEventListener() {} }, layouts };
/* the boxes themselves: what is drawn is rounded */
vm.runInNewContext(script.replace(/^start\(\);$/m,
	"const plain = layOut; layOut = (...args) => { const boxes = plain(...args); layouts.push(boxes); return boxes; }; start();"), world);

function boxes() {
	const all = layouts[layouts.length - 1];
	if (rects.length < all.length)
		throw new Error("not all boxes are drawn");
	return all.map(({ node, x, width, depth }) => ({ label: node.label, x, width, depth }));
}

const result = { boxes: [] };
for (let i = 0; i < 5; i++) {
	rects = [];
	get("metric").listeners.change({ target: { value: String(i) } });
	result.boxes.push(boxes());
}
get("metric").listeners.change({ target: { value: "1" } });
const second = result.boxes[1].find((box) => box.depth === 1);
get("graph").listeners.click({ clientX: second.x + second.width / 2, clientY: 27 });
result.clicked = second.label;
result.tip = get("tip").textContent;
get("reset").listeners.click();
get("search").listeners.input({ target: { value: second.label.toUpperCase() } });
result.found = get("found").textContent;
rects = [];
get("direction").listeners.change({ target: { value: "1" } });
result.inverted = boxes();
console.log(JSON.stringify(result));
