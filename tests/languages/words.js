// SPDX-License-Identifier: GPL-3.0-or-later
// Maps, C++ and C of node itself (crypto, zlib), a worker thread, a child, a promise, an exception.
'use strict';
const crypto = require('crypto'), zlib = require('zlib'), child = require('child_process');
const { Worker } = require('worker_threads');

const count = new Map();
for (let i = 0; i < 20000; i++) {
	const word = 'word' + (i * 7919) % 1009;
	count.set(word, (count.get(word) || 0) + 1);
}
console.log(count.size, crypto.createHash('sha256').update([...count.keys()].join()).digest('hex'));
console.log(zlib.inflateSync(zlib.deflateSync(Buffer.alloc(100000, 'abc'))).length);
console.log(JSON.parse(JSON.stringify({ a: [1, 2, { b: 3 }] })).a[2].b);
console.log(child.execFileSync('echo', ['a child']).toString().trim());
try {
	null.x;
} catch (error) {
	console.error(error.constructor.name);
}
const worker = new Worker(
	'require("worker_threads").parentPort.postMessage(Array.from({ length: 1000 }, (_, i) => i * i)' +
	'.reduce((a, b) => a + b))', { eval: true });
worker.on('message', (value) => console.log('worker', value));
worker.on('exit', () => Promise.resolve().then(() => process.exit(5)));
