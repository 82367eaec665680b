import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'

/**
 * Runs a program from V8's code cache of its first start and returns its exports: compiling it again would take half of every startup. The
 * argument is the URL of the calling module, next to which the program is stored.
 */
export function load(address) {
  const path = fileURLToPath(address).replace(/\.mjs$/, '.cjs')
  installSourceMap(path)
  const text = readFileSync(path)
  // V8 checks only the length of the source, so the content hash is part of the name.
  const cache = `${path}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}.compiled`
  const cachedData = read(cache)
  const script = new Script(`(function (exports, module, require, address) {\n${text}\n})`, {
    filename: path,
    lineOffset: -1,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, module, createRequire(address), address)
  // Created after the run, so that it contains all functions needed at startup. Another version of Node rejects the cache.
  if (cachedData === undefined || script.cachedDataRejected) writeAtomically(cache, script.createCachedData())
  return module.exports
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

/** Maps stack traces to source positions. The source map is read when the first stack trace is needed, not at every start. */
function installSourceMap(path) {
  let map
  const sourceOf = (line, column) => {
    map ??= new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
    const { originalSource, originalLine, originalColumn } = map.findEntry(line - 1, column - 1)
    return originalSource && `${originalSource.replace(/^(\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}`
  }
  const frameText = (frame) => {
    const [text, line, column] = [String(frame), frame.getLineNumber(), frame.getColumnNumber()]
    if (frame.getFileName() !== path) return text
    try {
      return text.replace(`${path}:${line}:${column}`, (position) => sourceOf(line, column) || position)
    } catch {
      return text
    }
  }
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${frameText(frame)}`)
    return `${Error.prototype.toString.call(error)}${lines.join('')}`
  }
}
