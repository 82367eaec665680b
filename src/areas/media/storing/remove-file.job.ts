import type { Files } from '#kernel/files.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { keyOf, removeFile } from './stored-file.ts'

interface Payload {
  accountId: string
  digest: string
}

/** Frees the bytes of content that no asset has any more, unless somebody has brought it back meanwhile. */
export const removeFileJob = ({ store }: Files): Job<Payload> =>
  job(removeFile.name, {
    ...removeFile,
    async run({ transaction, complete }, { accountId, digest }) {
      const doomed = await transaction(accountId, ({ db }) =>
        db
          .updateTable('storedFiles')
          .set({ removing: true })
          .where('accountId', '=', accountId)
          .where('digest', '=', digest)
          .where('uses', '=', 0)
          .returning('digest')
          .executeTakeFirst(),
      )
      if (!doomed) return
      await store.remove(keyOf(accountId, digest))
      await complete(accountId, ({ db }) =>
        db
          .deleteFrom('storedFiles')
          .where('accountId', '=', accountId)
          .where('digest', '=', digest)
          .where('removing', '=', true)
          .execute(),
      )
    },
  })
