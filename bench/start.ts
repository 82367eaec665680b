import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { median } from './processes.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const laterStarts = 2
/** How long the service is idle before its memory is read. */
const idleSeconds = Number(process.env.BENCH_SECONDS ?? 60)

/** What a checkout does not contain. */
const notSources = ['.git', 'node_modules', 'dist', 'data', 'coverage']

/**
 * Installs a copy of this project and measures `npm start` with the demo until it is ready: the first start on an empty data folder, later
 * ones, and the memory of the idle service after both.
 */
export async function startBenchmark() {
  const folder = await temporaryFolder()
  const project = join(folder.path, 'chorus')
  cpSync(process.cwd(), project, {
    recursive: true,
    filter: (path) => resolve(path, '..') !== process.cwd() || !notSources.includes(basename(path)),
  })
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'))
  try {
    const installing = await prepare(project)
    console.log(`build by npm ci ${seconds(installing)}`)
    const first: Started[] = []
    const later: Started[] = []
    for (let round = 1; round <= rounds; round++) {
      const data = join(folder.path, `data-${round}`)
      // The memory does not vary much and takes a minute to settle.
      const isLast = round === rounds
      first.push(await startOnce(project, data, isLast ? 'after the first start' : undefined))
      for (let number = 1; number <= laterStarts; number++) {
        const readsMemory = isLast && number === laterStarts
        later.push(await startOnce(project, data, readsMemory ? 'after a later start' : undefined))
      }
    }
    report('first start', first)
    report('later starts', later)
  } finally {
    await folder.remove()
  }
}

/** What `npm ci` runs after it has installed the packages. */
async function prepare(project: string): Promise<number> {
  const began = performance.now()
  const child = spawn('npm', ['run', 'prepare', '--if-present'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`npm run prepare ended with ${code}`)
  return performance.now() - began
}

interface Started {
  milliseconds: number
  /** Processor time of all processes in seconds. */
  processorTime: number
}

async function startOnce(project: string, data: string, memoryTitle: string | undefined): Promise<Started> {
  const began = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: project,
    env: { ...process.env, CHORUS_PORT: '0', CHORUS_SANDBOX_PORT: '0', CHORUS_DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await printed(child, /Stop with Ctrl-C/)
  const milliseconds = performance.now() - began
  const processes = descendants(child.pid ?? 0)
  const processorTime = processes.reduce((sum, { pid }) => sum + processorTimeOf(pid), 0)
  const service = processes.find(({ command }) => /^\S*node bin\/start\.mjs/.test(command))
  if (!service) throw new Error(`The service is not among: ${processes.map(({ command }) => command).join('; ')}`)
  if (memoryTitle) {
    await sleep(idleSeconds * 1000)
    const programs = descendants(service.pid).filter(({ command }) => !isDatabase(command))
    for (const { pid, command } of programs) printMemory(memoryTitle, pid, command)
  }
  process.kill(service.pid, 'SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
  return { milliseconds, processorTime }
}

function printed(child: ChildProcess, pattern: RegExp): Promise<void> {
  let output = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      output += data
      if (pattern.test(output)) resolve()
    })
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}: ${output}`)))
  })
}

interface Descendant {
  pid: number
  command: string
}

/** A process and all below it. */
function descendants(pid: number): Descendant[] {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
  return [{ pid, command }, ...children.flatMap(descendants)]
}

/** Its processes share most of their memory. */
const isDatabase = (command: string) => /^\S*postgres(?::| -D)/.test(command)

const ticksPerSecond = 100

/** Of a process and its ended children. */
function processorTimeOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
}

function printMemory(title: string, pid: number, command: string) {
  const text = `${readFileSync(`/proc/${pid}/status`, 'utf8')}${readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')}`
  const sum = (pattern: RegExp) =>
    [...text.matchAll(pattern)].reduce((all, [, kibibytes]) => all + Number(kibibytes), 0)
  const megabytes = (kibibytes: number) => `${Math.round(kibibytes / 1024)} MiB`
  const name = command
    .split(' ')
    .slice(0, 2)
    .map((word) => basename(word))
    .join(' ')
  console.log(
    `${title}, idle for ${idleSeconds} s: ${name.padEnd(24)} resident ${megabytes(sum(/VmRSS:\s+(\d+)/g))}, ` +
      `of it private ${megabytes(sum(/Private_(?:Clean|Dirty):\s+(\d+)/g))}`,
  )
}

function report(title: string, starts: readonly Started[]) {
  const each = (values: number[]) => values.map((value) => (value / 1000).toFixed(1)).join(' ')
  const times = starts.map(({ milliseconds }) => milliseconds)
  const processorTimes = starts.map(({ processorTime }) => processorTime * 1000)
  console.log(
    `${title.padEnd(16)} ready after ${seconds(median(times))} (${each(times)}), ` +
      `processor time ${seconds(median(processorTimes))} (${each(processorTimes)})`,
  )
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
