import { isDamage, verified } from '#areas/media/file/stored-file.ts'
import { missing } from '#kernel/errors.ts'
import type { FileRoute } from '#kernel/http/route/file-route.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Log } from '#kernel/log.ts'
import { zipType } from '../destination/destination.ts'
import { isValidToken } from './run-files.ts'

type FilesInstallation = Pick<Installation, 'database' | 'files' | 'keyring' | 'clock'> & { log: Log }

/** Export files at signed, expiring URLs. */
export const exportFiles = ({ database, files, keyring, clock, log }: FilesInstallation): FileRoute => ({
  path: '/export/{account}/{id}/{token}/{name}',
  async find({ account = '', id = '', token = '' }) {
    if (!isValidToken(keyring, { accountId: account, id }, token, clock.now())) return undefined
    const run = await database
      .forUnauthenticated(account)
      .selectFrom('exportRuns')
      .select(['fileKey', 'fileName', 'bytes', 'digest'])
      .where('accountId', '=', account)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!run || run.fileKey === '') return undefined
    const { fileKey, fileName: name, bytes, digest } = run
    const found = await files.store.size(fileKey)
    if (found !== bytes) {
      log.error({ account, run: id, key: fileKey, expected: bytes, found }, 'a file of an export is damaged or gone')
      return undefined
    }
    return {
      bytes,
      name,
      mime: zipType,
      tag: digest,
      inline: false,
      isPrivate: true,
      read(from, to) {
        const source = files.store.read(fileKey, from, to)
        return from === 0 && to === bytes ? whole(source, { digest, bytes }) : source
      },
    }
  },
})

async function* whole(source: AsyncIterable<Uint8Array>, claim: { digest: string; bytes: number }) {
  try {
    yield* verified(source, claim)
  } catch (error) {
    throw isDamage(error) ? missing('File') : error
  }
}
