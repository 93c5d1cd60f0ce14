// SPDX-License-Identifier: Apache-2.0
// Adapter of old versions of ONNX Runtime, through npm's onnxruntime-node, whose packages still hold a library.
// Argument: the folder of the package. docs/external-runtimes.md states the protocol.
'use strict';

const fs = require('fs');
const path = require('path');
const readline = require('readline');

const folder = path.resolve(process.argv[2]);
const ort = require(folder);
const version = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version;

const LEVELS = {none: 'disabled', basic: 'basic', extended: 'extended', all: 'all'};

// numpy's descr <-> the type's name in ONNX Runtime and how it lies in memory.
const TYPES = [
  {descr: '<f4', type: 'float32', array: Float32Array},
  {descr: '<f8', type: 'float64', array: Float64Array},
  {descr: '|i1', type: 'int8', array: Int8Array},
  {descr: '|u1', type: 'uint8', array: Uint8Array},
  {descr: '<i2', type: 'int16', array: Int16Array},
  {descr: '<u2', type: 'uint16', array: Uint16Array},
  {descr: '<i4', type: 'int32', array: Int32Array},
  {descr: '<u4', type: 'uint32', array: Uint32Array},
  {descr: '<i8', type: 'int64', array: BigInt64Array},
  {descr: '<u8', type: 'uint64', array: BigUint64Array},
  {descr: '|b1', type: 'bool', array: Uint8Array},
];

function readNpy(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.toString('latin1', 0, 6) !== '\x93NUMPY') {
    throw new Error(`${file}: no .npy file`);
  }
  const start = bytes[6] === 1 ? 10 : 12;
  const length = bytes[6] === 1 ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8);
  const header = bytes.toString('latin1', start, start + length);
  const descr = /'descr':\s*'([^']+)'/.exec(header)[1];
  const dims = /'shape':\s*\(([^)]*)\)/.exec(header)[1].split(',').filter((text) => text.trim() !== '').map(Number);
  if (/'fortran_order':\s*True/.test(header)) {
    throw new Error(`${file}: Fortran order is not read`);
  }
  const row = TYPES.find((candidate) => candidate.descr === descr);
  if (row === undefined) {
    throw new Error(`${file}: type ${descr} is not read`);
  }
  const data = bytes.subarray(start + length);
  const copy = new ArrayBuffer(data.length);
  new Uint8Array(copy).set(data);
  return new ort.Tensor(row.type, new row.array(copy), dims);
}

function writeNpy(file, tensor) {
  const row = TYPES.find((candidate) => candidate.type === tensor.type);
  if (row === undefined) {
    throw new Error(`outputs of type ${tensor.type} are not written`);
  }
  const shape = tensor.dims.map((dim) => `${dim},`).join(' ');
  let header = `{'descr': '${row.descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  header += ' '.repeat(63 - ((10 + header.length) % 64)) + '\n';
  const preamble = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  const data = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  fs.writeFileSync(file, Buffer.concat([preamble, Buffer.from(header, 'latin1'), data]));
}

const sessions = new Map();
let loaded = 0;

function sessionOf(request) {
  if (!sessions.has(request.handle)) {
    throw new Error(`no model is loaded under the handle '${request.handle}'`);
  }
  return sessions.get(request.handle);
}

// {"session.x64quantprecision": "1"} -> {session: {x64quantprecision: "1"}}
function extraOf(config) {
  const extra = {};
  for (const [key, value] of Object.entries(config)) {
    let place = extra;
    const parts = key.split('.');
    for (const part of parts.slice(0, -1)) {
      place = place[part] = place[part] || {};
    }
    place[parts[parts.length - 1]] = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
  }
  return extra;
}

const requests = {
  async hello() {
    return {
      name: 'onnxruntime',
      version,
      protocol: 1,
      capabilities: {optimization: Object.keys(LEVELS), threads: true, config: 'session configuration entries'},
    };
  },

  async load(request) {
    const options = request.options || {};
    const level = options.optimization || 'all';
    if (LEVELS[level] === undefined) {
      throw new Error(`optimization '${level}' is none of ${Object.keys(LEVELS).join(', ')}`);
    }
    const settings = {
      executionProviders: ['cpu'],
      graphOptimizationLevel: LEVELS[level],
      intraOpNumThreads: options.threads || 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    };
    if (Object.keys(options.config || {}).length > 0) {
      settings.extra = extraOf(options.config);
    }
    const session = await ort.InferenceSession.create(request.model, settings);
    loaded += 1;
    sessions.set(String(loaded), session);
    return {handle: String(loaded), inputs: session.inputNames, outputs: session.outputNames};
  },

  async run(request) {
    const session = sessionOf(request);
    const inputs = {};
    for (const [name, file] of Object.entries(request.inputs)) {
      inputs[name] = readNpy(file);
    }
    for (let i = 0; i < (request.warm_up || 0); ++i) {
      await session.run(inputs);
    }
    const times = [];
    const cpuTimes = [];
    let results = {};
    for (let i = 0; i < (request.repetitions === undefined ? 1 : request.repetitions); ++i) {
      const cpu = process.cpuUsage();
      const start = process.hrtime.bigint();
      results = await session.run(inputs);
      times.push(Number(process.hrtime.bigint() - start));
      const used = process.cpuUsage(cpu);
      cpuTimes.push(1000 * (used.user + used.system));
    }
    for (const [name, file] of Object.entries(request.outputs || {})) {
      writeNpy(file, results[name]);
    }
    return {times_ns: times, cpu_times_ns: cpuTimes, outputs: request.outputs || {}};
  },

  async unload(request) {
    sessionOf(request);
    sessions.delete(request.handle);
    return {};
  },
};

async function main() {
  for await (const line of readline.createInterface({input: process.stdin, crlfDelay: Infinity})) {
    let answer;
    let request = {};
    try {
      request = JSON.parse(line);
      if (!Object.prototype.hasOwnProperty.call(requests, request.request)) {
        throw new Error(`unknown request '${request.request}'; known are ${Object.keys(requests).join(', ')}`);
      }
      answer = {ok: true, ...(await requests[request.request](request))};
    } catch (error) {
      answer = {ok: false, error: error instanceof Error ? error.message : String(error)};
    }
    fs.writeSync(1, `${JSON.stringify({...answer, id: request.id})}\n`);
  }
}

main();
