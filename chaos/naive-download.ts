import { createHash } from 'node:crypto'
import { startHostileServer } from '#areas/media/download/hostile-server.fixture.ts'
import { videoFiles } from './upload-files.ts'

const chunkBytes = 10 * 2 ** 20

/** The control: who believes what a server sends gets wrong bytes from this one, and the comparison sees it. */
export async function naiveDownloads({ files, lean, seed }: { files: number; lean?: true; seed: number }) {
  const server = await startHostileServer({ seed, files: videoFiles(seed, files, lean), chunkFailures: 0.3 })
  let wrong = 0
  try {
    for (let n = 0; n < files; n++) {
      if (server.files[n]?.manner !== 'honest') continue
      const hash = createHash('sha256')
      for (let at = 0; at < (server.files[n]?.size ?? 0); at += chunkBytes) {
        const range = `bytes=${at}-${at + chunkBytes - 1}`
        const bytes = await fetch(server.fileUrl(n), { headers: { range } })
          .then((answer) => answer.arrayBuffer())
          .catch(nothing)
        hash.update(Buffer.from(bytes))
      }
      if (hash.digest('hex') !== server.sha256(n)) wrong += 1
    }
    return { files, seed, wrong }
  } finally {
    await server.close()
  }
}

const nothing = () => new ArrayBuffer(0)
