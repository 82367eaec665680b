import { auditRoute } from '#areas/account/audit/audit-table.api.ts'
import { previewRoute } from '#areas/media/preview/preview.api.ts'
import { pictureRoute } from '#areas/profiles/picture/profile-picture.api.ts'
import type { DownloadRoute } from '#kernel/http/route/download-route.ts'
import type { Installation } from '#kernel/installation.ts'
import { openPictures } from '#kernel/picture/pictures.ts'

/** What the console fetches that is no JSON. */
export function downloadsOf(installation: Installation): DownloadRoute[] {
  const pictures = openPictures(installation)
  return [previewRoute(installation, pictures), pictureRoute(installation, pictures), auditRoute(installation)]
}
