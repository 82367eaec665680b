import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'

/**
 * Runs a program from what the compiler made of it at its first start, and gives what it exports: to compile all of it again takes half
 * of the time of every start. The address is that of the module which asks, beside which the program stands.
 */
export function load(address) {
  const path = fileURLToPath(address).replace(/\.mjs$/, '.cjs')
  tellSources(path)
  const text = readFileSync(path)
  // Another program of the same length would not be told from this one.
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
  // After it ran, so that whatever every start needs is in it. Another version of Node refuses what it did not make itself.
  if (cachedData === undefined || script.cachedDataRejected) keep(cache, script.createCachedData())
  return module.exports
}

function read(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** Moved into place, so that another start never sees half of it. Where nothing can be written every start compiles. */
function keep(path, data) {
  try {
    const aside = `${path}.${process.pid}`
    writeFileSync(aside, data)
    renameSync(aside, path)
  } catch {}
}

/** Traces of calls are told in places of the sources. The map is read when the first of them is wanted, and not at every start. */
function tellSources(path) {
  let map
  const sourceOf = (line, column) => {
    map ??= new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
    const { originalSource, originalLine, originalColumn } = map.findEntry(line - 1, column - 1)
    return originalSource && `${originalSource.replace(/^(\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}`
  }
  const told = (frame) => {
    const [text, line, column] = [String(frame), frame.getLineNumber(), frame.getColumnNumber()]
    if (frame.getFileName() !== path) return text
    try {
      return text.replace(`${path}:${line}:${column}`, (place) => sourceOf(line, column) || place)
    } catch {
      return text
    }
  }
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map((frame) => `\n    at ${told(frame)}`)
    return `${Error.prototype.toString.call(error)}${lines.join('')}`
  }
}
