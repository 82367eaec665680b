import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { affectedRoutes, type Campaign } from './campaign.ts'
import * as styles from './campaigns.module.css'

export type StatusChange = 'paused' | 'active' | 'archived' | 'deleted'

interface StatusDialogProps {
  campaign: Campaign
  change: StatusChange
  onClose: () => void
  onDeleted: () => void
}

/** Shows how many posts are affected before the status changes. */
export function StatusDialog({ campaign: { Id: id, Name, Status }, change, onClose, onDeleted }: StatusDialogProps) {
  const { data, error } = useApiQuery('GET /campaign/{id}/consequences', { id }, { keepPrevious: false })
  const changeStatus = useStatusChange(id, Name, Status)
  const remove = useApiMutation('v2 DELETE /campaign/{id}', {
    invalidates: affectedRoutes,
    onSuccess: () => {
      toast(texts.campaigns.did.deleted(Name))
      onClose()
      onDeleted()
    },
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  const t = texts.campaigns
  const title = { paused: t.pauseTitle, active: t.resumeTitle, archived: t.archiveTitle, deleted: t.deleteTitle }[
    change
  ]
  const label = { paused: t.pause, active: t.resume, archived: t.archive, deleted: t.delete }[change]
  const submit = () => {
    if (change === 'deleted') return remove.mutate({ id })
    onClose()
    changeStatus(change)
  }
  return (
    <Dialog title={title(Name)} onClose={onClose} onSubmit={submit}>
      {error && <ErrorMessage {...errorDetails(error)} />}
      {!data && !error && <Loading />}
      {data && <Consequences data={data} change={change} />}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button
          type="submit"
          variant={change === 'archived' || change === 'deleted' ? 'danger' : 'primary'}
          busy={remove.isPending || !data}
        >
          {label}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Consequences({ data, change }: { data: Body<'GET /campaign/{id}/consequences'>; change: StatusChange }) {
  const t = texts.campaigns
  const ended = change === 'deleted' ? data.Deleted : data.Archived
  const isEnd = change === 'archived' || change === 'deleted'
  const lines: [count: number, line: string][] = isEnd
    ? [
        [ended.PostsDeleted, t.postsDeleted(ended.PostsDeleted)],
        [ended.DraftsDeleted, t.draftsDeleted(ended.DraftsDeleted)],
        [ended.PostsGivenUp, t.givenUp(ended.PostsGivenUp)],
        [ended.SharesStopped, t.shares(ended.SharesStopped)],
      ]
    : change === 'paused'
      ? [
          [data.Paused.PostsHeld, t.held(data.Paused.PostsHeld)],
          [data.Paused.SharesStopped, t.shares(data.Paused.SharesStopped)],
        ]
      : [
          [data.Active.PostsResumed, t.resumed(data.Active.PostsResumed)],
          [data.Active.PostsLate, t.late(data.Active.PostsLate)],
        ]
  const sentences = [...lines, [data.PostsUnderWay, t.underWay(data.PostsUnderWay)] as const].filter(
    ([count]) => count > 0,
  )
  return (
    <div className={styles.consequences}>
      {sentences.length === 0 ? (
        <p>{t.nothingPlanned}</p>
      ) : (
        <ul>
          {sentences.map(([, line]) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {isEnd && (
        <p className="muted">
          {t.sentStays} {sentences.length > 0 && t.noWayBack}
        </p>
      )}
    </div>
  )
}

/** Changes the status immediately, with an undo if nothing was lost. Continues after the dialog is closed. */
function useStatusChange(id: string, name: string, before: Campaign['Status']) {
  const isReversible = (change: string) => change !== 'archived' && (before === 'active' || before === 'paused')
  const { mutate } = useApiMutation('v2 POST /campaign/{id}', {
    invalidates: affectedRoutes,
    onSuccess: (_body, { status = '' }) => {
      const successText = texts.campaigns.did[status as StatusChange](name)
      // Undo is a status change as well, and gets no undo of its own.
      const isBack = status === before
      const back = () => mutate({ id, status: before as 'active' | 'paused' })
      toast(successText, !isBack && isReversible(status) ? { action: { label: texts.ui.undo, run: back } } : {})
    },
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  return (change: Exclude<StatusChange, 'deleted'>) => mutate({ id, status: change })
}
