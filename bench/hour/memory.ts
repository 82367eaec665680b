import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryOf } from '../../chaos/processes.ts'
import { processTree } from '../processor-time.ts'
import type { Point } from './trend.ts'

const sampleMs = 10_000
const mebibyte = 1024 ** 2

interface MemoryOptions {
  /** The service's first process. */
  pid: number
  url: string
  /** Written by `heap-after-collection.mjs`. */
  heapFile: string
  collectEveryMs: number
}

/** Memory of all processes of the service in MiB; times are hours since the start. */
export interface MemorySamples {
  resident: Point[]
  /** As the metrics tell it. */
  heap: Point[]
  /** Right after a garbage collection. */
  heapAfterCollection: Point[]
}

/** Samples the memory of the service until it is stopped. */
export function observeMemory({ pid, url, heapFile, collectEveryMs }: MemoryOptions) {
  const begun = Date.now()
  const samples: MemorySamples = { resident: [], heap: [], heapAfterCollection: [] }
  const stopping = new AbortController()
  let collected = 0
  const observing = (async () => {
    for (let number = 1; !stopping.signal.aborted; number++) {
      await sleep(begun + number * sampleMs - Date.now(), undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      const at = (Date.now() - begun) / 3_600_000
      const processes = processTree(pid)
      samples.resident.push({ at, value: sumOf(processes.map(memoryOf)) })
      samples.heap.push({ at, value: await heapOf(url) })
      if (Date.now() - begun < (collected + 1) * collectEveryMs) continue
      collected++
      samples.heapAfterCollection.push({ at, value: await heapAfterCollection(processes, heapFile) })
    }
  })()
  return {
    samples,
    async stop() {
      stopping.abort()
      await observing
    },
  }
}

async function heapOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^nodejs_heap_size_used_bytes\S* (\S+)$/m.exec(metrics)?.[1]) / mebibyte
}

/** The sum over all processes that run our code: those that answer the signal. */
async function heapAfterCollection(processes: readonly number[], file: string): Promise<number> {
  const answers = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  const before = answers().length
  const asked = processes.filter(handlesSignal)
  for (const pid of asked) process.kill(pid, 'SIGUSR2')
  while (answers().length < before + asked.length) await sleep(50)
  const bytes = answers()
    .slice(before)
    .map((line) => (JSON.parse(line) as { bytes: number }).bytes)
  return sumOf(bytes) / mebibyte
}

/** Others, such as the media inspector, would be ended by the signal. */
function handlesSignal(pid: number): boolean {
  const caught = /SigCgt:\s+(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
  const userSignal2 = 12n
  return ((BigInt(`0x${caught}`) >> (userSignal2 - 1n)) & 1n) === 1n
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
