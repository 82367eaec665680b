import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { readSlices } from './read-slices.mjs'

/**
 * Runs a program from V8's code cache of its first start and returns its exports: compiling it again would take half of every startup. The
 * argument is the URL of the calling module, next to which the program is stored.
 */
export function load(address) {
  const path = fileURLToPath(address).replace(/\.mjs$/, '.cjs')
  installPositions(path)
  const { text, digest } = readText(path)
  // V8 checks only the length of the source, so the content hash is part of the name.
  const cache = `${path}.${digest.slice(0, 16)}.compiled`
  const cachedData = read(cache)
  const script = new Script(text, {
    filename: path,
    cachedData,
  })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, module, createRequire(address), address)
  // Created after the run, so that it contains all functions needed at startup. Another version of Node rejects the cache.
  if (cachedData === undefined || script.cachedDataRejected) writeAtomically(cache, script.createCachedData())
  return module.exports
}

/** Its characters are ASCII, so V8 keeps one byte for each. */
function readText(path) {
  const digest = createHash('sha256')
  const parts = []
  readSlices(path, (slice) => {
    digest.update(slice)
    parts.push(slice.latin1Slice())
  })
  return { text: parts.join(''), digest: digest.digest('hex') }
}

function read(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** Renamed into position, so that a concurrent start never sees a partial file. On a read-only file system every start compiles. */
function writeAtomically(path, data) {
  try {
    const temporaryPath = `${path}.${process.pid}`
    writeFileSync(temporaryPath, data)
    renameSync(temporaryPath, path)
  } catch {}
}

/** Maps stack traces to source positions, which are read when the first stack trace is needed, not at every start. */
function installPositions(path) {
  let sourceOf
  const frameText = (frame) => {
    const [text, line, column] = [String(frame), frame.getLineNumber(), frame.getColumnNumber()]
    if (frame.getFileName() !== path) return text
    try {
      sourceOf ??= readPositions(path)
      return text.replace(`${path}:${line}:${column}`, (position) => sourceOf(line - 1, column - 1) ?? position)
    } catch {
      return text
    }
  }
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${frameText(frame)}`)
    return `${Error.prototype.toString.call(error)}${lines.join('')}`
  }
}

/** Numbers of a position: line and column in the program, source (none in a package), line and column there. */
const width = 5

function readPositions(path) {
  const { sources, positions } = JSON.parse(readFileSync(`${path}.positions`, 'utf8'))
  const numbers = Int32Array.from(positions)
  return (line, column) => {
    let from = 0
    let to = numbers.length / width
    // The first position after the given one; the previous one contains it.
    while (from < to) {
      const middle = (from + to) >> 1
      const [atLine, atColumn] = numbers.subarray(middle * width, middle * width + 2)
      if (atLine < line || (atLine === line && atColumn <= column)) from = middle + 1
      else to = middle
    }
    if (from === 0) return undefined
    const [, , source, sourceLine, sourceColumn] = numbers.subarray((from - 1) * width, from * width)
    return source < 0 ? undefined : `${sources[source]}:${sourceLine + 1}:${sourceColumn + 1}`
  }
}
