import { brandsOf } from './brands.ts'
import { openFile } from './file-source.ts'
import { type JpegOptions, makeJpeg, makePreview, measureImage, probeImage } from './image.ts'
import { probePdf } from './pdf.ts'
import { type Probe, UnusableFile } from './probe.ts'
import { looksLikePage, sniffedBytes, typeByMagic } from './sniff.ts'
import { probeVideo } from './video.ts'

/** What the process can be asked to do with a file. */
export type Task =
  | { name: 'probe'; path: string }
  | { name: 'jpeg'; path: string; options: JpegOptions }
  | { name: 'preview'; path: string; width: number }

/** Does one task; every refusal that needs no decoding comes first. */
export async function perform(task: Task, maximumPixels: number): Promise<Probe | Buffer> {
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
    if (task.name === 'probe' && mime === 'video/mp4') return await probeVideo(source)
    if (task.name === 'probe' && mime === 'application/pdf') return await probePdf(source)
    if (mime === 'video/mp4' || mime === 'application/pdf') throw new UnusableFile('The file is not a picture.')
    if (task.name === 'probe') return await probeImage({ path, mime, beginning }, maximumPixels)
    await measureImage({ path, mime, beginning }, maximumPixels)
    if (task.name === 'jpeg') return await makeJpeg(path, task.options, maximumPixels)
    return await makePreview(path, task.width, maximumPixels)
  } finally {
    await source.close()
  }
}

async function realType(beginning: Uint8Array): Promise<Probe['mime']> {
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

/** Above it LinkedIn takes no document, and nobody a picture. */
const maximumBytes = 100 * 2 ** 20
