import { type FileSource, type PdfInspection, UnusableFile } from './inspection.ts'

/** Counts the pages of a PDF without a password; nothing is rendered and no script in it runs. */
export async function inspectPdf(source: FileSource): Promise<PdfInspection> {
  const end = Buffer.from(await source.read(Math.max(0, source.bytes - endBytes), source.bytes))
  // PDF readers repair a truncated file and show fewer pages than it had.
  if (!end.includes('%%EOF')) throw damaged()
  const rejections = watchRejections()
  try {
    const pages = await countPages(new Uint8Array(await source.read(0, source.bytes)))
    if (pages < 1 || rejections.any()) throw damaged()
    return { kind: 'pdf', mime: 'application/pdf', pages }
  } catch (error) {
    if (error instanceof UnusableFile) throw error
    throw (error as Error)?.name === 'PasswordException' ? locked() : damaged(error)
  } finally {
    rejections.stop()
  }
}

async function countPages(bytes: Uint8Array): Promise<number> {
  const { getDocumentProxy } = await import('unpdf')
  const document = await getDocumentProxy(bytes, quiet)
  try {
    const { info } = await document.getMetadata()
    // Also if the user password is empty: networks refuse documents with any protection.
    if ((info as { EncryptFilterName?: unknown }).EncryptFilterName) throw locked()
    return document.numPages
  } finally {
    await document.destroy()
  }
}

/** The reader reports missing pages only by an unhandled promise rejection. */
function watchRejections() {
  let count = 0
  const listener = () => {
    count += 1
  }
  process.on('unhandledRejection', listener)
  return { any: () => count > 0, stop: () => process.off('unhandledRejection', listener) }
}

const locked = () => new UnusableFile('The PDF is protected by a password; save it without protection and upload that.')

const damaged = (cause?: unknown) =>
  new UnusableFile('The PDF is damaged or not complete; save it again and upload that.', { cause })

const quiet = { verbosity: 0, isEvalSupported: false, enableXfa: false, useSystemFonts: false, disableFontFace: true }

const endBytes = 4_096
