import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { systemClock } from '#kernel/clock.ts'
import type { Installation } from '#kernel/installation.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import type { MediaRef } from '#networks/connector/draft.ts'
import { manifestOf } from '#networks/manifests.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../../tests/support/files.ts'
import {
  demoAccount,
  nowhere,
  startTestService,
  type TestService,
  testKeys,
} from '../../../../tests/support/service.ts'
import { keyOf } from '../file/stored-file.ts'
import { serveFiles } from '../media.fixture.ts'
import { mediaRefs } from './media-refs.ts'

/** A service, five other processes of its installation, and images that Instagram accepts only as JPEGs. */
export async function startStudio() {
  const files: { [name: string]: Buffer } = {}
  const web = await serveFiles(files)
  const service = await startTestService({
    environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8', CHORUS_ROLES: 'api,worker' },
  })
  const installation = installationOf(service)
  const installations = [installation, ...Array.from({ length: 4 }, () => installationOf(service))]
  /** A unique image; optionally a second asset of it. */
  const newPng = async () => {
    const name = `${randomBytes(8).toString('hex')}.png`
    files[name] = await freshPicture('png')
    const add = async (): Promise<string> =>
      (await service.admin('POST /media', { body: { resource: `${web.url}/${name}` } })).json.Media.Id
    return { id: await add(), again: add }
  }
  return {
    service,
    installation,
    installations,
    newPng,
    /** URL that Instagram would fetch. */
    async jpegUrl(id: string, from: Installation = installation): Promise<string> {
      const [ref] = await mediaRefs(from, demoAccount, [id], manifestOf('Instagram').limits)
      return ref?.publicUrl ?? ''
    },
    remove: async (id: string) => (await service.admin(`DELETE /media/${id}`)).status,
    counted: (digest: string) =>
      ownerQuery<{ uses: number }>(service.databaseUrl, 'select uses from stored_files where digest = $1', [digest]),
    sizeOf: (digest: string) => installation.files.store.size(keyOf(demoAccount, digest)),
    async stop() {
      for (const { database } of installations) await database.close()
      await service.stop()
      await web.close()
    },
  }
}

/** A unique image: all tests share one store. */
export const freshPicture = (format: 'jpeg' | 'png' | 'gif') =>
  sharp(randomBytes(60 * 40 * 3), { raw: { width: 60, height: 40, channels: 3 } })
    .toFormat(format)
    .toBuffer()

/** The same process with some file functions replaced. */
export const withFiles = (installation: Installation, files: Partial<Installation['files']>): Installation => ({
  ...installation,
  files: { ...installation.files, ...files },
})

/** Dependencies of another process of the same installation. */
export function installationOf({ databaseUrl, url }: TestService): Installation {
  const database = openPatientDatabase({ url: databaseUrl, connections: 2 })
  const keyring = readKeyring(testKeys)
  return {
    database,
    listener: undefined,
    clock: systemClock,
    keyring,
    outbound: nowhere,
    ...elsewhere,
    publicUrl: () => url,
    shortUrl: () => `${url}/l`,
    lateness: 0,
    appOptions: () => undefined,
  }
}

export const rowsOf = ({ databaseUrl }: TestService, mediaId: string) =>
  ownerQuery<{ digest: string; size: number; uses: number }>(
    databaseUrl,
    `select r.digest, r.size::int, f.uses from media_renditions r join stored_files f using (account_id, digest)
     where account_id = $1 and media_id = $2`,
    [demoAccount, mediaId],
  )

export async function bytesOf(ref: MediaRef, from?: number, to?: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of ref.open(from, to)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** As fetched by anyone with the URL. */
export async function fetched(url: string) {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
