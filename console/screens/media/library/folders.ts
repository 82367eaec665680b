import type { Body } from '../../../wire/call.ts'
import { useCall } from '../../../wire/queries.ts'

export type Folder = Body<'GET /media-folder'>['Items'][number]

/** All folders of the account: they are few, and drawn as a tree. */
export function useFolders(): readonly Folder[] {
  return useCall('GET /media-folder', {}).data?.Items ?? []
}

/** From the top down to a folder, with the folder itself. */
export function pathTo(folders: readonly Folder[], id: string): Folder[] {
  const path: Folder[] = []
  for (let at: string | null = id; at && path.length < 50; ) {
    const folder = folders.find(({ Id }) => Id === at)
    if (!folder) break
    path.unshift(folder)
    at = folder.FolderId
  }
  return path
}

export const inFolder = (folders: readonly Folder[], id: string) =>
  folders.filter(({ FolderId }) => (FolderId ?? '') === id).toSorted((one, other) => one.Name.localeCompare(other.Name))
