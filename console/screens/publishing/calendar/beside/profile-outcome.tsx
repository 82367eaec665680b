import { useState } from 'react'
import { Button } from '../../../../ui/inputs/button.tsx'
import { Field } from '../../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../../ui/layers/dialog.tsx'
import { NetworkMark } from '../../../../ui/marks/network-mark.tsx'
import { StatusSign } from '../../../../ui/marks/status.tsx'
import type { Body } from '../../../../wire/call.ts'
import { useMay } from '../../../../wire/session.ts'
import { words } from '../../../../words/words.ts'
import { useRepair } from '../moving/moving.ts'

type Log = NonNullable<Body<'v2 GET /post/{id}'>['Post']['Postlogs']>[number]

interface OutcomeProps {
  name: string
  network: string
  /** What became of it there, once something did. */
  log: Log | undefined
  /** Nobody knows whether the network has it. */
  isUnsure: boolean
}

/** What became of a post on one profile, and what to do where it is not there. */
export function ProfileOutcome({ name, network, log, isUnsure }: OutcomeProps) {
  const isFailed = log?.Status === 'failed'
  return (
    <li className="outcome">
      <span className="outcome-name">
        <NetworkMark network={network} label /> <span dir="auto">{name}</span>
        {log && <StatusSign status={isFailed ? (isUnsure ? 'unsure' : 'failed') : 'sent'} />}
      </span>
      {log?.Status === 'success' && log.RemoteUrl && (
        <a className="outcome-link" href={log.RemoteUrl} target="_blank" rel="noopener noreferrer nofollow">
          {words.calendar.seeIt}
        </a>
      )}
      {log && !isFailed && log.Error && <p className="outcome-why">{log.Error}</p>}
      {isFailed && <p className="outcome-why">{log.Error || words.calendar.noReason}</p>}
      {isFailed && <Repair id={log.Id} isUnsure={isUnsure} />}
    </li>
  )
}

/** Once more, or: it is there after all. */
function Repair({ id, isUnsure }: { id: string; isUnsure: boolean }) {
  const mayApprove = useMay()('approve')
  const [isMarking, setIsMarking] = useState(false)
  const [remoteUrl, setRemoteUrl] = useState('')
  const { mutate, isPending } = useRepair()
  if (!mayApprove) return null
  return (
    <div className="peek-row">
      <Button icon="again" busy={isPending} onClick={() => mutate({ id, action: 'send-again' })}>
        {words.calendar.again}
      </Button>
      <Button busy={isPending} onClick={() => setIsMarking(true)}>
        {words.calendar.markSent}
      </Button>
      {isMarking && (
        <Dialog
          title={words.calendar.markTitle}
          onClose={() => setIsMarking(false)}
          onSubmit={() => {
            mutate({ id, action: 'mark-sent', ...(remoteUrl && { remoteUrl }) })
            setIsMarking(false)
          }}
        >
          <p>{isUnsure ? words.calendar.markUnsure : words.calendar.markFailed}</p>
          <Field
            label={words.calendar.markAddress}
            value={remoteUrl}
            onChange={setRemoteUrl}
            type="url"
            inputMode="url"
          />
          <DialogActions>
            <Button onClick={() => setIsMarking(false)}>{words.ui.cancel}</Button>
            <Button type="submit" kind="main">
              {words.calendar.markSent}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}
