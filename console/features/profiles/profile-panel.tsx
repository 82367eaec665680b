import { useEffect, useState } from 'react'
import { told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { dayAndClock } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { momentIfAny, momentOf } from '@/time/days.ts'
import { networkName, StatusMark } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { Fact, Panel } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { connectPath, needsSomebody, ProfileFace, statusOf } from './profile-card.tsx'
import { QueueWeek } from './queue-schedule.tsx'

const stale = ['GET /credential-health', 'GET /credential/{id}/health', 'v2 GET /credential'] as const

/** One profile: how it is and why, what will not go out, and what to do about it. */
export function ProfilePanel({ id, onClose }: { id: string; onClose: () => void }) {
  const may = useMay()
  const { data, error, refetch } = useCall('GET /credential/{id}/health', { id }, { keepsLast: false })
  const [isDeleting, setIsDeleting] = useState(false)
  const health = data?.Health
  const rename = useChange('v2 PUT /credential/{id}', {
    stale,
    done: () => say(words.profiles.saved),
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  const isAmiss = health && needsSomebody(health)
  const last = health && momentIfAny(health.LastSuccess)
  return (
    <Panel
      title={
        health ? (
          <span className="profile-title">
            <ProfileFace profile={health} />
            <span dir="auto">{health.DisplayName}</span>
          </span>
        ) : (
          words.profiles.title
        )
      }
      onClose={onClose}
      actions={
        health &&
        may('administer') && (
          <>
            {health.State !== 'listed' && (
              <LinkButton {...(isAmiss && { kind: 'main' as const })} icon="again" href={connectPath(health)}>
                {words.profiles.connectAgain}
              </LinkButton>
            )}
            <Button kind="danger" icon="trash" onClick={() => setIsDeleting(true)}>
              {words.profiles.delete}
            </Button>
          </>
        )
      }
    >
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!health && !error && <Waiting />}
      {health && (
        <>
          <div className="profile-verdict">
            <StatusMark status={statusOf[health.State]}>{words.profiles.states[health.State]}</StatusMark>
            {health.Reason && <p dir="auto">{health.Reason}</p>}
            {isAmiss && !may('administer') && <p>{words.profiles.asksAdmin}</p>}
          </div>
          {health.Gates.length > 0 && (
            <section>
              <h3 className="panel-title">{words.profiles.gates}</h3>
              <ul className="profile-posts">
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
              <h3 className="panel-title">{words.profiles.atRisk}</h3>
              <ul className="profile-posts">
                {health.Posts.map(({ Id, StartDateTime, Text }) => (
                  <li key={Id}>
                    <a href={`/app/calendar?post=${Id}`}>
                      <span className="number">{dayAndClock(momentOf(StartDateTime))}</span>
                      <span dir="auto">{Text}</span>
                    </a>
                  </li>
                ))}
                {health.HiddenPosts > 0 && <li className="quiet">{words.profiles.hidden(health.HiddenPosts)}</li>}
              </ul>
            </section>
          )}
          <dl className="profile-facts">
            <Fact name={words.profiles.network}>{networkName(health.Network)}</Fact>
            <Fact name={words.profiles.handle}>
              <span dir="auto">{health.NetworkUsername}</span>
            </Fact>
            <Fact name={words.profiles.lastSuccess}>
              {last === undefined ? words.profiles.never : dayAndClock(last)}
            </Fact>
          </dl>
          {may('contribute') && (
            <Naming
              key={health.DisplayName}
              shown={health.DisplayName}
              own={health.Name}
              busy={rename.isPending}
              onSave={(displayName) => rename.mutate({ id, displayName })}
            />
          )}
          <QueueWeek id={id} />
          {isDeleting && (
            <Deleting
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
  shown: string
  /** What the network calls it. */
  own: string
  busy: boolean
  onSave: (name: string) => void
}

function Naming({ shown, own, busy, onSave }: NamingProps) {
  const [name, setName] = useState(shown)
  useEffect(() => setName(shown), [shown])
  return (
    <form
      className="profile-naming"
      onSubmit={(event) => {
        event.preventDefault()
        if (name !== shown) onSave(name === own ? '' : name)
      }}
    >
      <Field
        label={words.profiles.name}
        hint={words.profiles.nameHint(own)}
        value={name}
        maxLength={255}
        dir="auto"
        onChange={setName}
      />
      {name !== shown && (
        <Button type="submit" busy={busy}>
          {words.profiles.save}
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

/** In numbers, before anything goes. */
function Deleting({ id, name, planned, onClose, onDone }: DeletingProps) {
  const remove = useChange('v2 DELETE /credential/{id}', {
    stale,
    done: () => {
      say(words.profiles.deleted(name))
      onClose()
      onDone()
    },
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  return (
    <Dialog title={words.profiles.delete} onClose={onClose} onSubmit={() => remove.mutate({ id })}>
      <p dir="auto">{words.profiles.deleteWhy(name)}</p>
      {planned > 0 && (
        <p>
          <strong>{words.profiles.deletePosts(planned)}</strong>
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="danger" type="submit" busy={remove.isPending} onClick={() => remove.mutate({ id })}>
          {words.profiles.delete}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
