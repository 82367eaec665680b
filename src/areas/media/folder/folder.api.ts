import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { removeFolder } from '../asset/asset.ts'
import { mediaIds } from '../declarations.ts'
import * as folders from './folder.ts'
import { Folder, folderChanges, folderDraft, parentId } from './folder-shape.ts'

const id = z.object({ id: params.pathId(mediaIds.mediaFolder) })

export const endpoints = [
  endpoint('GET /media-folder', {
    summary: 'List the folders in a folder',
    needs: 'read',
    params: listParams(
      {
        folderId: parentId,
        q: params.line({ min: 0 }).optional(),
        orderBy: params.word(['name', 'created']).optional(),
        orderDir: params.word(['asc', 'desc']).optional(),
      },
      { count: upTo(100, 12), order: sortBy({ name: 'text', created: 'date' }, 'name,1') },
    ),
    reply: list(Folder),
    run: folders.search,
  }),
  endpoint('GET /media-folder/{id}', {
    summary: 'Get a folder',
    needs: 'read',
    params: id,
    reply: item('Folder', Folder),
    run: folders.get,
  }),
  endpoint('POST /media-folder', {
    summary: 'Create a folder',
    needs: 'contribute',
    params: folderDraft,
    reply: item('Folder', Folder),
    run: folders.create,
  }),
  endpoint('POST /media-folder/{id}', {
    summary: 'Rename a folder',
    needs: 'contribute',
    params: folderChanges,
    reply: item('Folder', Folder),
    run: folders.update,
  }),
  endpoint('DELETE /media-folder/{id}', {
    summary: 'Delete a folder with the folders and assets in it',
    needs: 'contribute',
    params: id,
    reply: done,
    run: removeFolder,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /media-folder', {
    summary: 'List all folders with their parents',
    needs: 'read',
    params: z.object({}),
    reply: list(Folder),
    run: folders.all,
  }),
]
