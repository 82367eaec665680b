import { useCallback, useEffect, useRef, useState } from 'react'
import type { Network } from '#networks/manifests.ts'
import { say } from '../../../../ui/layers/toasts.tsx'
import { call } from '../../../../wire/call.ts'
import { forgetUpload, type Sending, upload, useUploads } from '../../../../wire/uploads.ts'
import { type Attached, attachedOf } from '../composition.ts'

type Place = Network | 'all'

/** Files that are dropped, pasted or chosen go into the library, and stand at the version they were meant for once they are there. */
export function useAttaching(onAttach: (at: Place, files: readonly Attached[]) => void) {
  const uploads = useUploads()
  const [mine, setMine] = useState<ReadonlyMap<number, Place>>(new Map())
  const attach = useRef(onAttach)
  attach.current = onAttach
  const take = useCallback((files: readonly File[], at: Place) => {
    const ids = upload(files, '')
    setMine((before) => new Map([...before, ...ids.map((id) => [id, at] as const)]))
  }, [])
  useEffect(() => {
    for (const { id, state, mediaId } of uploads) {
      const at = mine.get(id)
      if (!at || state !== 'done') continue
      setMine((before) => new Map([...before].filter(([one]) => one !== id)))
      forgetUpload(id)
      void attachedById([mediaId]).then((files) => attach.current(at, files))
    }
  }, [uploads, mine])
  return { take, underWay: uploads.filter(({ id }) => mine.has(id)) as readonly Sending[] }
}

/** Files of the library by their ids, in their order; those that are gone are left out. */
export async function attachedById(ids: readonly string[]): Promise<Attached[]> {
  try {
    const found = await Promise.all(ids.filter(Boolean).map((id) => call('GET /media', { id })))
    return found.flatMap(({ Items }) => Items.map(attachedOf))
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), { kind: 'problem' })
    return []
  }
}
