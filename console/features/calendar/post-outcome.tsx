import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { told, useCall } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { dayAndClock } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { NetworkMark, StatusSign } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { useRepair } from './reschedule.ts'
import type { Answer } from './scheduled-posts.ts'

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

/** Who did what with a post, and what became of it; read when somebody opens it. */
export function History({ id, profiles }: { id: string; profiles: Answer['Credentials'] }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="history" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{words.calendar.history}</summary>
      {isOpen && <Entries {...{ id, profiles }} />}
    </details>
  )
}

function Entries({ id, profiles }: { id: string; profiles: Answer['Credentials'] }) {
  const { data, error } = useCall('GET /post/{id}/history', { id }, { keepsLast: false })
  if (error) return <p role="alert">{told(error).sentence}</p>
  return (
    <ol className="history-entries" aria-busy={!data}>
      {data?.Items.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what happened has no other name, and never changes
        <li key={index}>
          <span className="quiet number">{dayAndClock(entry.At * 1000)}</span>
          <span>
            {words.calendar.happened[entry.Kind](
              entry.UserName || words.calendar.service,
              profiles[entry.CredentialId]?.Name ?? '',
            )}
          </span>
          {entry.Fields.length > 0 && <span className="quiet">{entry.Fields.join(', ')}</span>}
          {entry.Text && <span dir="auto">{entry.Text}</span>}
        </li>
      ))}
    </ol>
  )
}
