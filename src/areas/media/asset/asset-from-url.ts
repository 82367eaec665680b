import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import { UnusableFile } from '#kernel/probe/probe.ts'
import { nameIn } from '../download/file-name.ts'
import { whileCallerWaits } from '../download/waiting-caller.ts'
import { requireFolder } from '../folder/folder.ts'
import { makeAsset, takeIn } from '../storing/intake.ts'
import { shown } from './asset.ts'

const maximumBytes = 20 * 1024 * 1024

/** Fetches the picture at once, so that what is published later does not depend on somebody's server. */
export async function createFromUrl(
  context: Context,
  { resource, folderId = '' }: { resource: string; folderId?: string | undefined },
) {
  const { accountId, files, now } = context
  // Before any statement: nothing waits for a stranger's server inside a transaction.
  const id = newId('upload', now)
  try {
    const { name } = await whileCallerWaits(accountId, () => fetchPicture(context, id, resource))
    const arrival = await takeIn(files, { accountId, id })
    if (arrival.probe.kind !== 'image')
      throw new UnusableFile('Only images can be added by their address; use POST /upload.')
    if (folderId) await requireFolder(context, folderId)
    return shown(context, await makeAsset(context, arrival, { name, folderId: folderId || null, source: resource }))
  } catch (error) {
    if (error instanceof UnusableFile || error instanceof OutboundFailure)
      throw invalid(`resource cannot be used. ${error.message}`)
    throw error
  } finally {
    await files.spool.remove(id)
  }
}

async function fetchPicture({ outbound, files }: Context, id: string, url: string) {
  const request = { method: 'GET' as const, url, redirects: 3, maximumBytes, timeoutMs: 15_000 }
  const { status, headers, body } = await outbound.stream(request)
  if (status !== 200) throw new UnusableFile(`The server answered ${status} instead of the image.`)
  await files.spool.append(id, 0, body, maximumBytes)
  return { name: nameIn(url, headers) ?? 'image' }
}
