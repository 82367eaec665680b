import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '#kernel/context.ts'
import type { Step } from '#kernel/external-io.ts'
import type { Files } from '#kernel/installation.ts'
import type { Demo } from '../area.ts'
import { type Held, hold, inOneChunk, keep, keyOf, newToken } from './file/stored-file.ts'

const owner = '00Ademo00000001'

const folders = [
  { id: '035demo00000001', name: 'Brand', folderId: null },
  { id: '035demo00000002', name: 'Spring range', folderId: null },
  { id: '035demo00000003', name: 'Not used yet', folderId: '035demo00000002' },
]

const image = { type: 'Image' as const, mimeType: 'image/jpeg', width: 1200, height: 675, frames: 1 }

/** Properties of the files in demo/media, precomputed for a fast first start. */
const assets = [
  { ...image, id: '026demo00000001', name: 'mountain-dawn.jpg', folderId: null },
  { ...image, id: '026demo00000002', name: 'forest-trail.jpg', folderId: '035demo00000002' },
  { ...image, id: '026demo00000003', name: 'night-camp.jpg', folderId: '035demo00000003' },
  {
    ...image,
    mimeType: 'image/png',
    width: 512,
    height: 512,
    id: '026demo00000004',
    name: 'northwind-logo.png',
    folderId: '035demo00000001',
  },
  {
    type: 'Video' as const,
    mimeType: 'video/mp4',
    width: 960,
    height: 540,
    durationMs: 6000,
    framesPerSecond: 30,
    videoCodec: 'h264',
    audioCodec: 'aac',
    id: '026demo00000005',
    name: 'range-in-motion.mp4',
    folderId: '035demo00000002',
  },
  {
    type: 'PDF' as const,
    mimeType: 'application/pdf',
    pages: 2,
    id: '026demo00000006',
    name: 'field-guide.pdf',
    folderId: null,
  },
]

/** Stores the files of a folder; returns their contents by name. */
async function storeMedia(files: Files, step: Step, folder: string): Promise<Map<string, Held>> {
  const stored = new Map<string, Held>()
  for (const { name, mimeType } of assets) {
    const content = await readFile(join(folder, name))
    const bytes = content.length
    const digest = createHash('sha256').update(content).digest('hex')
    const { held, key } = await step(async (context) => ({
      held: await hold(context, { digest, bytes }),
      key: keyOf(context.accountId, digest),
    }))
    if ((await files.store.size(key)) !== bytes) await files.store.put(key, inOneChunk(content), bytes, mimeType)
    stored.set(name, held)
  }
  return stored
}

async function isLibraryEmpty({ db, accountId }: Context): Promise<boolean> {
  const some = await db.selectFrom('mediaFolders').select('id').where('accountId', '=', accountId).executeTakeFirst()
  return some === undefined
}

/** Fills the media library with the stored files. */
async function seedMedia(context: Context, stored: ReadonlyMap<string, Held>) {
  const { db, accountId, now } = context
  const made = { accountId, created: now, modified: now, createdBy: owner }
  await db
    .insertInto('mediaFolders')
    .values(folders.map((one) => ({ ...made, ...one })))
    .execute()
  for (const asset of assets) {
    const held = stored.get(asset.name)
    if (!held) throw new Error(`The file ${asset.name} of the demo was not stored.`)
    await keep(context, held)
    const { digest, bytes: size } = held
    const row = { ...made, modifiedBy: owner, ...asset, size, digest, token: newToken() }
    await db.insertInto('media').values(row).execute()
  }
}

/** Sample files and folders, unless the library already has some. */
export const mediaDemo: Demo = {
  prepare: async ({ files, step }, { mediaFolder }) =>
    (await step(isLibraryEmpty)) ? storeMedia(files, step, mediaFolder) : undefined,
  async seed(context, _options, stored) {
    if (stored) await seedMedia(context, stored as ReadonlyMap<string, Held>)
  },
}
