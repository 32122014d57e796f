/* SPDX-License-Identifier: GPL-3.0-or-later */
"use strict";
/* The flame graphs. The page has the tree once, from the root; the other direction is made here. */
const ROW = 18, LEAST_WIDTH = 0.4; /* px */
/* Rows below the focus and above it, and callers in the other direction: what a browser can draw
 * and keep of very deep stacks. */
const ROWS_BELOW = 400, ROWS_ABOVE = 20, CALLERS = 100;

/* Nodes as they stand in the page: [parent, name, left out, five sums]. */
function readTree(data) {
	const nodes = data.nodes.map(([parent, name, leftOut, ...sums]) => ({
		parent, leftOut, sums, children: [],
		label: name >= 0 ? data.names[name][1] || data.names[name][0]
		     : leftOut ? `[${leftOut} smaller]` : "[all]",
		full: name >= 0 ? data.names[name][0]
		    : leftOut ? `[${leftOut} smaller ones, which are not in this page]` : "[all]",
		module: name >= 0 ? data.names[name][2] : "",
	}));
	nodes.forEach((node, i) => {
		node.parent = i ? nodes[node.parent] : null;
		if (node.parent)
			node.parent.children.push(node);
	});
	return nodes[0];
}

/* What is of the node itself: of stacks that end there. */
function ownSums(node) {
	return node.sums.map((sum, i) => node.children.reduce((left, child) => left - child.sums[i], sum));
}

/* The same stacks from their other end: below the root the functions that called the allocator,
 * below each its callers. */
function invert(root) {
	const all = { ...root, parent: null, children: [] }, byKey = new Map();
	const add = (parent, from, sums) => {
		let known = byKey.get(parent);
		if (!known)
			byKey.set(parent, known = new Map());
		const key = from.full + "\n" + from.module;
		let node = known.get(key);
		if (!node) {
			node = { ...from, parent, children: [], sums: sums.map(() => 0) };
			known.set(key, node);
			parent.children.push(node);
		}
		sums.forEach((sum, i) => { node.sums[i] += sum; });
		return node;
	};
	const visit = [root];
	for (let node; (node = visit.pop());) {
		const own = ownSums(node);
		if (node.parent && own.some((sum) => sum > 0)) {
			let at = all;
			for (let from = node, i = 0; from.parent && i < CALLERS; from = from.parent, i++)
				at = add(at, from, own);
		}
		visit.push(...node.children);
	}
	return all;
}

/* Boxes of the focus with what is below it, and of its nearest callers as full rows above. */
function layOut(focus, metric, width) {
	const boxes = [], path = [];
	for (let node = focus; node && path.length <= ROWS_ABOVE; node = node.parent)
		path.unshift(node);
	path.forEach((node, depth) => boxes.push({ node, x: 0, width, depth }));
	const open = [boxes[boxes.length - 1]];
	for (let box; (box = open.pop());) {
		if (box.depth >= path.length + ROWS_BELOW)
			continue;
		const whole = box.node.sums[metric];
		let x = box.x;
		const children = box.node.children.filter((node) => node.sums[metric] > 0)
			.sort((a, b) => b.sums[metric] - a.sums[metric] || (a.full < b.full ? -1 : 1));
		for (const node of children) {
			const wide = box.width * node.sums[metric] / whole;
			if (wide < LEAST_WIDTH)
				break;
			const child = { node, x, width: wide, depth: box.depth + 1 };
			boxes.push(child);
			open.push(child);
			x += wide;
		}
	}
	return boxes;
}

/* The sum over all nodes that the words are in, none counted below another. */
function findSum(root, words, metric) {
	let sum = 0;
	const visit = [root];
	for (let node; (node = visit.pop());) {
		if (isFound(node, words))
			sum += node.sums[metric];
		else
			visit.push(...node.children);
	}
	return sum;
}

function isFound(node, words) {
	return words !== "" && node.full.toLowerCase().includes(words);
}

function percent(part, whole) {
	return whole ? (100 * part / whole).toFixed(1) + " %" : "-";
}

function amount(metric, sum) {
	return sum.toLocaleString("en") + " " + (sum === 1 ? metric.unit.slice(0, -1) : metric.unit);
}

/* One colour a module, lighter and darker by name. */
function colour(node) {
	const hash = (text) => [...text].reduce((h, c) => (h * 31 + c.charCodeAt(0)) % 65521, 7);
	if (node.leftOut || !node.parent)
		return "hsl(0 0% 72%)";
	return `hsl(${hash(node.module) % 360} 55% ${66 + hash(node.full) % 14}%)`;
}

function start() {
	const get = (id) => document.getElementById(id);
	const data = JSON.parse(get("data").textContent), canvas = get("graph");
	const trees = [readTree(data), null];
	const state = { tree: 0, metric: 0, focus: trees[0], words: "", boxes: [] };

	function describe(node) {
		const root = trees[state.tree];
		const lines = data.metrics.map((metric, i) => `${metric.name}: ${amount(metric, node.sums[i])}, ` +
			`${percent(node.sums[i], root.sums[i])} of ${amount(metric, root.sums[i])}`);
		get("tip").textContent = node.full + (node.module ? ` in ${node.module}` : "") + "\n" + lines.join("\n");
	}

	function draw() {
		const width = canvas.parentNode.clientWidth, scale = window.devicePixelRatio || 1;
		state.boxes = layOut(state.focus, state.metric, width);
		const rows = state.boxes.reduce((most, box) => Math.max(most, box.depth), 0) + 1;
		canvas.width = width * scale;
		canvas.height = rows * ROW * scale;
		canvas.style.height = rows * ROW + "px";
		const at = canvas.getContext("2d");
		at.scale(scale, scale);
		at.font = "12px system-ui, sans-serif";
		at.textBaseline = "middle";
		for (const { node, x, width: wide, depth } of state.boxes) {
			at.fillStyle = isFound(node, state.words) ? "#e0457b" : colour(node);
			at.fillRect(x, depth * ROW, Math.max(wide - 0.5, LEAST_WIDTH), ROW - 1);
			if (wide < 25)
				continue;
			at.save();
			at.beginPath();
			at.rect(x, depth * ROW, wide - 3, ROW);
			at.clip();
			at.fillStyle = "#111";
			at.fillText(node.label, x + 3, depth * ROW + ROW / 2);
			at.restore();
		}
		const metric = data.metrics[state.metric], whole = trees[state.tree].sums[state.metric];
		const sum = findSum(trees[state.tree], state.words, state.metric);
		get("found").textContent = state.words === "" ? "" : `${amount(metric, sum)}, ${percent(sum, whole)}`;
	}

	function boxAt(event) {
		const edge = canvas.getBoundingClientRect();
		const x = event.clientX - edge.left, depth = Math.floor((event.clientY - edge.top) / ROW);
		return state.boxes.find((box) => box.depth === depth && box.x <= x && x < box.x + box.width);
	}

	function focusOn(node) {
		state.focus = node;
		describe(node);
		draw();
	}

	canvas.addEventListener("mousemove", (event) => {
		const box = boxAt(event);
		if (box)
			describe(box.node);
	});
	canvas.addEventListener("click", (event) => {
		const box = boxAt(event);
		if (box)
			focusOn(box.node);
	});
	get("metric").addEventListener("change", (event) => {
		state.metric = Number(event.target.value);
		draw();
	});
	get("direction").addEventListener("change", (event) => {
		state.tree = Number(event.target.value);
		if (!trees[state.tree])
			trees[state.tree] = invert(trees[0]);
		focusOn(trees[state.tree]);
	});
	get("search").addEventListener("input", (event) => {
		state.words = event.target.value.trim().toLowerCase();
		draw();
	});
	get("reset").addEventListener("click", () => focusOn(trees[state.tree]));
	window.addEventListener("resize", draw);
	focusOn(state.focus);
}

start();
