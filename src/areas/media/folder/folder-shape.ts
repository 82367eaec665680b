import { z } from 'zod'
import { datetime, nullableText, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { mediaIds } from '../declarations.ts'

export const Folder = shape('MediaFolder', {
  Id: text,
  Name: text,
  FolderId: nullableText,
  Created: datetime,
})

/** Writable columns. */
const written = z.object({
  name: params.line({ max: 64 }),
})
export const parentId = params.idOf(mediaIds.mediaFolder, { min: 0 }).optional()

export const folderDraft = written.extend({ folderId: parentId })
export const folderChanges = written.extend({ id: params.pathId(mediaIds.mediaFolder) })
export type FolderDraft = z.output<typeof folderDraft>
export type FolderChanges = z.output<typeof folderChanges>
