import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { errorDetails, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatDateTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { NetworkIcon, StatusIcon } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import * as styles from './calendar.module.css'
import { useRepair } from './reschedule.ts'
import type { CalendarData } from './scheduled-posts.ts'

type Log = NonNullable<Body<'v2 GET /post/{id}'>['Post']['Postlogs']>[number]

interface OutcomeProps {
  name: string
  network: string
  /** The result on this profile, once there is one. */
  log: Log | undefined
  /** It is unknown whether the network published the post. */
  isUnsure: boolean
}

/** The result of a post on one profile, with the actions available if it was not published. */
export function ProfileOutcome({ name, network, log, isUnsure }: OutcomeProps) {
  const isFailed = log?.Status === 'failed'
  return (
    <li className={styles.outcome}>
      <span className={styles.outcomeName}>
        <NetworkIcon network={network} label /> <span dir="auto">{name}</span>
        {log && <StatusIcon status={isFailed ? (isUnsure ? 'unsure' : 'failed') : 'sent'} />}
      </span>
      {log?.Status === 'success' && log.RemoteUrl && (
        <a
          data-testid="outcome-link"
          className={styles.outcomeLink}
          href={log.RemoteUrl}
          target="_blank"
          rel="noopener noreferrer nofollow"
        >
          {texts.calendar.seeIt}
        </a>
      )}
      {log && !isFailed && log.Error && <p className={styles.outcomeWhy}>{log.Error}</p>}
      {isFailed && <p className={styles.outcomeWhy}>{log.Error || texts.calendar.noReason}</p>}
      {isFailed && <Repair id={log.Id} isUnsure={isUnsure} />}
    </li>
  )
}

/** Retry, or mark as published. */
function Repair({ id, isUnsure }: { id: string; isUnsure: boolean }) {
  const mayApprove = useMay()('approve')
  const [isMarkSentOpen, setIsMarkSentOpen] = useState(false)
  const [remoteUrl, setRemoteUrl] = useState('')
  const { mutate, isPending } = useRepair()
  if (!mayApprove) return null
  return (
    <div className={styles.postActions}>
      <Button icon="again" busy={isPending} onClick={() => mutate({ id, action: 'send-again' })}>
        {texts.calendar.again}
      </Button>
      <Button busy={isPending} onClick={() => setIsMarkSentOpen(true)}>
        {texts.calendar.markSent}
      </Button>
      {isMarkSentOpen && (
        <Dialog
          title={texts.calendar.markTitle}
          onClose={() => setIsMarkSentOpen(false)}
          onSubmit={() => {
            mutate({ id, action: 'mark-sent', ...(remoteUrl && { remoteUrl }) })
            setIsMarkSentOpen(false)
          }}
        >
          <p>{isUnsure ? texts.calendar.markUnsure : texts.calendar.markFailed}</p>
          <Field
            label={texts.calendar.markAddress}
            value={remoteUrl}
            onChange={setRemoteUrl}
            type="url"
            inputMode="url"
          />
          <DialogActions>
            <Button onClick={() => setIsMarkSentOpen(false)}>{texts.ui.cancel}</Button>
            <Button type="submit" variant="primary">
              {texts.calendar.markSent}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}

/** Audit history of a post and its results; loaded when opened. */
export function History({ id, profiles }: { id: string; profiles: CalendarData['Credentials'] }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={styles.history} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{texts.calendar.history}</summary>
      {isOpen && <Entries {...{ id, profiles }} />}
    </details>
  )
}

function Entries({ id, profiles }: { id: string; profiles: CalendarData['Credentials'] }) {
  const { data, error } = useApiQuery('GET /post/{id}/history', { id }, { keepPrevious: false })
  if (error) return <p role="alert">{errorDetails(error).message}</p>
  return (
    <ol data-testid="history-entries" className={styles.historyEntries} aria-busy={!data}>
      {data?.Items.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id and never change
        <li key={index}>
          <span className="muted tabular-nums">{formatDateTime(entry.At * 1000)}</span>
          <span>
            {texts.calendar.happened[entry.Kind](
              entry.UserName || texts.calendar.service,
              profiles[entry.CredentialId]?.Name ?? '',
            )}
          </span>
          {entry.Fields.length > 0 && <span className="muted">{entry.Fields.join(', ')}</span>}
          {entry.Text && <span dir="auto">{entry.Text}</span>}
        </li>
      ))}
    </ol>
  )
}
