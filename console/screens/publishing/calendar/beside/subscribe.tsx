import { useEffect, useState } from 'react'
import { momentIfAny, momentOf } from '../../../../time/days.ts'
import { Button } from '../../../../ui/inputs/button.tsx'
import { Copy } from '../../../../ui/inputs/copy.tsx'
import { Dialog, DialogActions } from '../../../../ui/layers/dialog.tsx'
import { say } from '../../../../ui/layers/toasts.tsx'
import { Waiting } from '../../../../ui/layout/states.tsx'
import { readAgain, told, useCall, useChange } from '../../../../wire/queries.ts'
import { dayAndClock } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'

const refused = (failure: unknown) => say(told(failure).sentence, { kind: 'problem' })

/** The address at which other calendars read this one: made, shown once, ended. */
export function Subscribe({ onClose }: { onClose: () => void }) {
  const w = words.calendar
  const { data } = useCall('GET /calendar-key', {}, { keepsLast: false })
  // Whether somebody has read it since is worth another look.
  useEffect(() => readAgain('GET /calendar-key'), [])
  // Shown once: it stands here and nowhere else, and goes with the dialog.
  const [url, setUrl] = useState('')
  const stale = ['GET /calendar-key'] as const
  const make = useChange('POST /calendar-key', { stale, done: ({ Url }) => setUrl(Url), refused })
  const end = useChange('DELETE /calendar-key', {
    stale,
    done: () => {
      setUrl('')
      say(w.keyEnded)
    },
    refused,
  })
  const hasKey = data?.HasKey === 1
  const used = data && momentIfAny(data.LastUsed)
  return (
    <Dialog title={w.subscribe} onClose={onClose}>
      <p>{w.subscribeWhy}</p>
      {!data && <Waiting />}
      {url ? (
        <>
          <Copy label={w.keyAddress} text={url} />
          <p className="quiet">{w.keyOnce}</p>
        </>
      ) : (
        hasKey && (
          <p>
            {w.keyThere(dayAndClock(momentOf(data.Created)))}{' '}
            {used === undefined ? w.keyUnused : w.keyUsed(dayAndClock(used))}
          </p>
        )
      )}
      {data && (
        <DialogActions>
          {hasKey && (
            <Button kind="danger" busy={end.isPending} onClick={() => end.mutate({})}>
              {w.endKey}
            </Button>
          )}
          {!url && (
            <Button kind="main" busy={make.isPending} onClick={() => make.mutate({})}>
              {hasKey ? w.anotherKey : w.makeKey}
            </Button>
          )}
          {url && <Button onClick={onClose}>{words.ui.close}</Button>}
        </DialogActions>
      )}
    </Dialog>
  )
}
