import { useEffect, useState } from 'react'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatDateTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { parseOptionalTimestamp, parseTimestamp } from '@/time/days.ts'
import { networkName, StatusBadge } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import * as layoutStyles from '@/ui/layout.module.css'
import { Detail, Panel } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { connectPath, needsAttention, ProfileAvatar, statusOf } from './profile-card.tsx'
import * as styles from './profiles.module.css'
import { QueueSchedule } from './queue-schedule.tsx'

const invalidates = ['GET /credential-health', 'GET /credential/{id}/health', 'v2 GET /credential'] as const

/** One profile: health with its cause, affected posts and actions. */
export function ProfilePanel({ id, onClose }: { id: string; onClose: () => void }) {
  const may = useMay()
  const { data, error, refetch } = useApiQuery('GET /credential/{id}/health', { id }, { keepPrevious: false })
  const [isDeleting, setIsDeleting] = useState(false)
  const health = data?.Health
  const rename = useApiMutation('v2 PUT /credential/{id}', {
    invalidates,
    onSuccess: () => toast(texts.profiles.saved),
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  const isUnhealthy = health && needsAttention(health)
  const last = health && parseOptionalTimestamp(health.LastSuccess)
  return (
    <Panel
      title={
        health ? (
          <span className={styles.title}>
            <ProfileAvatar profile={health} />
            <span dir="auto">{health.DisplayName}</span>
          </span>
        ) : (
          texts.profiles.title
        )
      }
      onClose={onClose}
      actions={
        health &&
        may('administer') && (
          <>
            {health.State !== 'listed' && (
              <LinkButton {...(isUnhealthy && { variant: 'primary' as const })} icon="again" href={connectPath(health)}>
                {texts.profiles.connectAgain}
              </LinkButton>
            )}
            <Button variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
              {texts.profiles.delete}
            </Button>
          </>
        )
      }
    >
      {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
      {!health && !error && <Loading />}
      {health && (
        <>
          <div data-testid="profile-status" className={styles.status}>
            <StatusBadge status={statusOf[health.State]}>{texts.profiles.states[health.State]}</StatusBadge>
            {health.Reason && <p dir="auto">{health.Reason}</p>}
            {isUnhealthy && !may('administer') && <p>{texts.profiles.asksAdmin}</p>}
          </div>
          {health.Gates.length > 0 && (
            <section>
              <h3 className={layoutStyles.panelTitle}>{texts.profiles.gates}</h3>
              <ul className={styles.posts}>
                {health.Gates.map(({ Reason }) => (
                  <li key={Reason} dir="auto">
                    {Reason}
                  </li>
                ))}
              </ul>
            </section>
          )}
          {health.PostsAtRisk > 0 && (
            <section>
              <h3 className={layoutStyles.panelTitle}>{texts.profiles.atRisk}</h3>
              <ul className={styles.posts}>
                {health.Posts.map(({ Id, StartDateTime, Text }) => (
                  <li key={Id}>
                    <a href={`/app/calendar?post=${Id}`}>
                      <span className="tabular-nums">{formatDateTime(parseTimestamp(StartDateTime))}</span>
                      <span dir="auto">{Text}</span>
                    </a>
                  </li>
                ))}
                {health.HiddenPosts > 0 && <li className="muted">{texts.profiles.hidden(health.HiddenPosts)}</li>}
              </ul>
            </section>
          )}
          <dl className={styles.facts}>
            <Detail name={texts.profiles.network}>{networkName(health.Network)}</Detail>
            <Detail name={texts.profiles.handle}>
              <span dir="auto">{health.NetworkUsername}</span>
            </Detail>
            <Detail name={texts.profiles.lastSuccess}>
              {last === undefined ? texts.profiles.never : formatDateTime(last)}
            </Detail>
          </dl>
          {may('contribute') && (
            <RenameForm
              key={health.DisplayName}
              displayed={health.DisplayName}
              own={health.Name}
              busy={rename.isPending}
              onSave={(displayName) => rename.mutate({ id, displayName })}
            />
          )}
          <QueueSchedule id={id} />
          {isDeleting && (
            <DeleteProfileDialog
              id={id}
              name={health.DisplayName}
              planned={health.PlannedPosts}
              onClose={() => setIsDeleting(false)}
              onDone={onClose}
            />
          )}
        </>
      )}
    </Panel>
  )
}

interface NamingProps {
  displayed: string
  /** The network's own name for it. */
  own: string
  busy: boolean
  onSave: (name: string) => void
}

function RenameForm({ displayed, own, busy, onSave }: NamingProps) {
  const [name, setName] = useState(displayed)
  useEffect(() => setName(displayed), [displayed])
  return (
    <form
      className={styles.naming}
      onSubmit={(event) => {
        event.preventDefault()
        if (name !== displayed) onSave(name === own ? '' : name)
      }}
    >
      <Field
        label={texts.profiles.name}
        hint={texts.profiles.nameHint(own)}
        value={name}
        maxLength={255}
        dir="auto"
        onChange={setName}
      />
      {name !== displayed && (
        <Button type="submit" busy={busy}>
          {texts.profiles.save}
        </Button>
      )}
    </form>
  )
}

interface DeletingProps {
  id: string
  name: string
  planned: number
  onClose: () => void
  onDone: () => void
}

/** Shows the number of affected posts before the profile is deleted. */
function DeleteProfileDialog({ id, name, planned, onClose, onDone }: DeletingProps) {
  const remove = useApiMutation('v2 DELETE /credential/{id}', {
    invalidates,
    onSuccess: () => {
      toast(texts.profiles.deleted(name))
      onClose()
      onDone()
    },
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  return (
    <Dialog title={texts.profiles.delete} onClose={onClose} onSubmit={() => remove.mutate({ id })}>
      <p dir="auto">{texts.profiles.deleteWhy(name)}</p>
      {planned > 0 && (
        <p>
          <strong>{texts.profiles.deletePosts(planned)}</strong>
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="danger" type="submit" busy={remove.isPending} onClick={() => remove.mutate({ id })}>
          {texts.profiles.delete}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
