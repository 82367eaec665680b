import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import type { TestService } from '../../../tests/support/service.ts'

export const contract: AreaContract = {
  examples: {
    'GET /media/{id}': () => ({ id: '026demo00000001' }),
    'GET /media': () => ({}),
    'POST /media': (service) => ({ body: { resource: service.pictureUrl } }),
    'DELETE /media/{id}': async (service) => ({ id: await newMedia(service) }),
    'GET /video-validate/{id}': () => ({ id: '026demo00000005' }),
    'GET /upload/{id}': async (service) => ({ id: await newUpload(service) }),
    'GET /upload': () => ({}),
    'POST /upload': (service) => ({ body: { source: service.pictureUrl } }),
    'GET /media-folder': () => ({}),
    'GET /media-folder/{id}': () => ({ id: '035demo00000001' }),
    'POST /media-folder': () => ({ body: { name: 'Example' } }),
    'POST /media-folder/{id}': async (service) => ({ id: await newFolder(service), body: { name: 'Renamed' } }),
    'DELETE /media-folder/{id}': async (service) => ({ id: await newFolder(service) }),
    'GET /app/api/media-folder': () => ({}),
    'GET /app/api/media': () => ({ body: { unused: 1 } }),
    'POST /app/api/media/{id}': async (service) => ({ id: await newMedia(service), body: { name: 'Renamed' } }),
    'POST /app/api/media': () => ({ body: { name: 'example.png', size: 10 } }),
    'GET /app/api/media/{id}': async ({ publisher }) => ({
      id: (await publisher('POST /app/api/media', { body: { name: 'example.png', size: 10 } })).json.Upload.Id,
    }),
  },
  entities: {
    mediaFolder: ({ made, name }) => made('POST /media-folder', { name }, 'Folder'),
    media: ({ made, service }) => made('POST /media', { resource: service.pictureUrl }, 'Media'),
    upload: ({ made, service }) => made('POST /upload', { source: service.pictureUrl }, 'Upload'),
  },
  ineffective: { 'GET /app/api/media/{id} id': 'Uploads are visible only to the user who started them.' },
  listPlans: {
    rows: ({ each, rowsPerAccount }) => [
      `insert into media_folders (account_id, id, created, modified, created_by, name, folder_id)
      select account_id, '035b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', 'Folder ' || (n * 7919 % 10000), case when n > ${rowsPerAccount / 2} then '035b' || lpad((n % 100 + 1)::text, 11, '0') end from ${each}`,
      `insert into stored_files (account_id, digest, bytes, uses) select id, 'bulk', 1, 10000 from accounts where id <> '001demo00000002'`,
      `insert into media (account_id, id, created, modified, created_by, modified_by, type, name, mime_type, size, folder_id, digest, token)
      select account_id, '026b' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', '', case n % 50 when 0 then 'PDF' else 'Image' end, 'Picture ' || (n * 7919 % 10000), 'image/png', 1, case when n > ${rowsPerAccount / 2} then '035b' || lpad((n % 10 + 1)::text, 11, '0') end, 'bulk', '' from ${each}`,
      `insert into uploads (account_id, id, created, modified, created_by, status, name, mime_type, total_size, source, reserved)
      select account_id, '0upb' || lpad(n::text, 11, '0'), now() - n * interval '1 minute', now(), '', case n % 50 when 0 then 'failed' else 'complete' end, 'Picture', 'image/png', 1, 'https://example.com/' || (n % 500), 1 from ${each}`,
      `insert into media_references (account_id, media_id, holder, what)
      select account_id, '026b' || lpad(n::text, 11, '0'), '004b' || lpad(n::text, 11, '0'), 'a post' from ${each}`,
    ],
    lists: (orders) => ({
      '/media': [
        '',
        '_page=50',
        'q=picture1',
        'type=PDF',
        'folderId=',
        'folderId=035b00000000007',
        'type=PDF&folderId=035b00000000007',
        ...orders('created', 'name'),
      ],
      '/media-folder': [
        '',
        '_page=3',
        'q=folder1',
        'folderId=035b00000000007',
        'orderBy=created&orderDir=asc',
        'orderBy=name&orderDir=desc',
      ],
      '/upload': ['', '_page=50', 'status=failed', 'source=https%3A%2F%2Fexample.com%2F7', ...orders('created')],
      '/app/api/media': [
        '',
        '_page=50',
        'q=picture1',
        'type=PDF',
        'folderId=',
        'folderId=035b00000000007',
        'unused=1',
        ...orders('created', 'name'),
      ],
      '/app/api/media-folder': [''],
    }),
    sorted: ['from "media_folders"'],
  },
  notified: [
    { kind: 'upload', table: 'uploads', unseen: ['reserved'] },
    { kind: 'media', table: 'media', unseen: [] },
    { kind: 'mediaFolder', table: 'media_folders', unseen: [] },
  ],
}

export const newMedia = async ({ admin, pictureUrl }: TestService): Promise<string> =>
  (await admin('POST /media', { body: { resource: pictureUrl } })).json.Media.Id

const newUpload = async ({ admin, pictureUrl }: TestService): Promise<string> =>
  (await admin('POST /upload', { body: { source: pictureUrl } })).json.Upload.Id

const newFolder = async ({ admin }: TestService): Promise<string> =>
  (await admin('POST /media-folder', { body: { name: 'Example' } })).json.Folder.Id
