import { Worker } from 'node:worker_threads'
import { inspectImage, makeJpeg, makePreview, measureImage } from './image.ts'
import {
  brandsOf,
  type Inspection,
  looksLikePage,
  openFile,
  type Reply,
  readyWord,
  sniffedBytes,
  type Task,
  typeByMagic,
  UnusableFile,
} from './inspection.ts'
import { inspectPdf } from './pdf.ts'
import { inspectVideo } from './video.ts'

// Runs in a separate process, so that a malicious file can't crash or exploit the service.

async function answer(task: Task): Promise<Reply> {
  const outcome = await perform(task, maximumPixels).then(
    (result) => ({ result }),
    (error: Error) => (error instanceof UnusableFile ? { refused: error.message } : { failed: error.message }),
  )
  return { ...outcome, rss: process.memoryUsage.rss() }
}

/** Performs one task; checks that need no decoding come first. */
async function perform(task: Task, maximumPixels: number): Promise<Inspection | Buffer> {
  const { path } = task
  const source = await openFile(path)
  try {
    const beginning = await source.read(0, sniffedBytes)
    const mime = await realType(beginning)
    if (mime !== 'video/mp4' && source.bytes > maximumBytes) {
      throw new UnusableFile(
        `The file has ${megabytes(source.bytes)} MB; pictures and PDFs may have ${megabytes(maximumBytes)}.`,
      )
    }
    if (task.name === 'probe' && mime === 'video/mp4') return await inspectVideo(source)
    if (task.name === 'probe' && mime === 'application/pdf') return await inspectPdf(source)
    if (mime === 'video/mp4' || mime === 'application/pdf') throw new UnusableFile('The file is not a picture.')
    if (task.name === 'probe') return await inspectImage({ path, mime, beginning }, maximumPixels)
    await measureImage({ path, mime, beginning }, maximumPixels)
    if (task.name === 'jpeg') return await makeJpeg(path, task.options, maximumPixels)
    return await makePreview(path, task.width, maximumPixels)
  } finally {
    await source.close()
  }
}

async function realType(beginning: Uint8Array): Promise<Inspection['mime']> {
  if (beginning.length === 0) throw new UnusableFile('The file is empty.')
  const mime = typeByMagic(beginning)
  if (looksLikePage(beginning)) throw new UnusableFile(`The file holds parts of a web page; ${taken}.`)
  if (mime) return mime
  const [brand] = brandsOf(beginning)
  if (brand?.startsWith('qt')) throw new UnusableFile('This is a QuickTime video (MOV); export it as MP4.')
  const { fileTypeFromBuffer } = await import('file-type')
  const other = await fileTypeFromBuffer(beginning).catch(() => undefined)
  if (other?.mime.startsWith('video/'))
    throw new UnusableFile(`This is a video of type ${other.mime}; export it as MP4.`)
  throw new UnusableFile(
    other ? `This is a file of type ${other.mime}; ${taken}.` : `The type of the file is not known; ${taken}.`,
  )
}

const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20)

const taken = 'only MP4, GIF, PNG, JPG and PDF are taken'

/** LinkedIn's limit for documents; no network accepts larger pictures. */
const maximumBytes = 100 * 2 ** 20

/** Exits when this process needs too much memory or its parent is gone, even while a decoder keeps it busy. */
function watchOver(maximumMemoryMb: number): void {
  const thread = new Worker(watch, { eval: true, execArgv: [], env: {}, workerData: maximumMemoryMb * 2 ** 20 })
  thread.unref()
}

// As a string, so that it needs no file of its own. The heap has its own limit; this one includes memory that decoders allocate outside it.
const watch = `
  const { workerData: maximum } = require('node:worker_threads')
  const parent = process.ppid
  setInterval(() => {
    if (process.memoryUsage.rss() > maximum || process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  }, 25)
`

// The main program is last, after the definitions it uses.
const [maximumPixels = 0, maximumMemoryMb = 0] = process.argv.slice(2).map(Number)

watchOver(maximumMemoryMb)
// Decoders leave unhandled promises behind; the relevant one is awaited.
process.on('unhandledRejection', () => {})
// A signal meant for the service must not be reported as a file error; the service ends this process when it is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
process.on('message', async (task: Task) => {
  const reply = await answer(task)
  process.send?.(reply)
})
process.send?.(readyWord)
