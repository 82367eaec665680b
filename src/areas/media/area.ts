import { day, hour } from '#kernel/clock.ts'
import { defineArea } from '../area.ts'
import { endpoints as assets, appEndpoints as mediaApp } from './asset/asset.api.ts'
import { watchedMedia } from './asset/asset.ts'
import { mediaChanges, mediaIds, mediaQuotas } from './declarations.ts'
import { mediaFiles, mediaPreview, previewRoute } from './file/media-file.api.ts'
import { releaseHoldsJob, removeFileJob, sweepFiles, sweepFilesJob } from './file/stored-file.ts'
import { appEndpoints as folderApp, endpoints as folders } from './folder/folder.api.ts'
import { watchedFolders } from './folder/folder.ts'
import { mediaDemo } from './media.demo.ts'
import { chunk, chunkRoute, appEndpoints as directUploads, endpoints as uploads } from './upload/upload.api.ts'
import { watchedUploads } from './upload/upload.ts'
import { downloadJob } from './upload/url-upload.ts'

/** The media library: files, folders, uploads and renditions. */
export const media = defineArea({
  name: 'media',
  ids: mediaIds,
  quotas: mediaQuotas,
  changes: mediaChanges,
  tables: ['fileReservations', 'media', 'mediaFolders', 'mediaReferences', 'mediaRenditions', 'storedFiles', 'uploads'],
  locks: { mediaFolders: 'messages', media: 'mediaFolders', uploadsOfDay: 'conversionTags' },
  tags: [
    {
      name: 'Media',
      description: 'The media library: files, folders and uploads.',
      of: ['media', 'media-folder', 'upload', 'video-validate'],
    },
  ],
  endpoints: [...assets, ...uploads, ...folders],
  appEndpoints: [...directUploads, ...mediaApp, ...folderApp],
  downloads: [
    { description: mediaPreview, route: ({ installation, pictures }) => previewRoute(installation, pictures) },
  ],
  intakes: [{ description: chunk, route: chunkRoute }],
  fileRoutes: ({ installation, log }) => [mediaFiles({ ...installation, log })],
  jobs: ({ installation }) => [
    downloadJob(installation),
    removeFileJob(installation.files),
    releaseHoldsJob,
    sweepFilesJob(installation),
  ],
  recurringJobs: [
    { job: releaseHoldsJob, every: hour },
    { job: sweepFiles, every: day },
  ],
  presence: [watchedUploads, watchedMedia, watchedFolders],
  demo: mediaDemo,
})
