import { useOfflineSince } from '@/api/call.ts'
import type { DraftStatus } from '@/api/draft-sync.ts'
import { useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatRelativeTime, formatTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { navigate } from '@/routes/router.ts'
import { now } from '@/time/days.ts'
import * as buttonStyles from '@/ui/button.module.css'
import { Button } from '@/ui/button.tsx'
import { PageHeader } from '@/ui/layout.tsx'
import { Menu, type MenuItem } from '@/ui/menu.tsx'
import * as styles from './composer.module.css'
import type { Intent } from './composition.ts'
import { newDraftId } from './draft.ts'

interface ComposerBarProps {
  /** Only for an existing post. */
  editing: { isDraft: boolean } | undefined
  saveStatus: DraftStatus<unknown>
  draftId: string
  when: 'now' | 'at' | 'queue'
  time: string
  isBusy: boolean
  onStartOver: () => void
  onDone: (intent: Intent) => void
  onSave: () => void
}

/** Title, save status and actions; the primary action comes last. */
export function ComposerToolbar(props: ComposerBarProps) {
  const { editing, saveStatus, draftId, when, time, isBusy, onStartOver, onDone, onSave } = props
  const mayPublish = useMay()('approve')
  const drafts = useDraftItems(draftId)
  const approval = useApprovalItems(onDone, editing === undefined)
  // With a single workflow there is no choice: the server uses the default.
  const hasChoice = approval.length > 1
  const menuItems: MenuItem[] = [
    { label: editing ? texts.composer.undoChanges : texts.composer.startOver, icon: 'again', onSelect: onStartOver },
    ...(editing
      ? []
      : ([{ label: texts.composer.asDraft, icon: 'dashed', onSelect: () => onDone({ isDraft: true }) }] as MenuItem[])),
  ]
  const main = editing ? undefined : mayPublish ? texts.composer.send[when](time) : texts.composer.toApproval
  return (
    <PageHeader
      title={editing ? texts.composer.editPost : texts.composer.newPost}
      about={<SaveStatus saveStatus={saveStatus} isEditing={editing !== undefined} />}
      actions={
        <>
          {!editing && (
            <Menu
              label={texts.composer.drafts}
              items={drafts}
              side="end"
              trigger={(opening) => (
                <button
                  type="button"
                  data-ui="button"
                  className={buttonStyles.button}
                  data-variant="ghost"
                  {...opening}
                >
                  {texts.composer.drafts}
                </button>
              )}
            />
          )}
          <span className={styles.wide}>
            {menuItems.map(({ label, onSelect: run }, index) => (
              <Button key={label} {...(index === 0 && { variant: 'ghost' })} onClick={run}>
                {label}
              </Button>
            ))}
          </span>
          <span className={styles.narrow}>
            <Menu
              label={texts.ui.more}
              items={[...menuItems, ...approval]}
              side="end"
              trigger={(opening) => (
                <button
                  type="button"
                  data-ui="button"
                  className={buttonStyles.button}
                  data-variant="ghost"
                  {...opening}
                >
                  {texts.ui.more}
                </button>
              )}
            />
          </span>
          {(mayPublish ? approval.length > 0 : hasChoice) && (
            <span className={mayPublish ? styles.wide : undefined}>
              <Menu
                label={texts.composer.workflows}
                items={approval}
                side="end"
                trigger={(opening) => (
                  <button
                    type="button"
                    data-ui="button"
                    className={buttonStyles.button}
                    data-variant={mayPublish ? undefined : 'primary'}
                    {...opening}
                  >
                    {texts.composer.toApproval}
                  </button>
                )}
              />
            </span>
          )}
          {editing ? (
            <>
              <Button {...(!editing.isDraft && { variant: 'primary' })} busy={isBusy} shortcut="mod+s" onClick={onSave}>
                {texts.composer.saveChanges}
              </Button>
              {editing.isDraft && (
                <Button variant="primary" busy={isBusy} onClick={() => onDone({})}>
                  {mayPublish ? texts.composer.send[when](time) : texts.composer.toApproval}
                </Button>
              )}
            </>
          ) : (
            (mayPublish || !hasChoice) && (
              <Button variant="primary" busy={isBusy} onClick={() => onDone({})}>
                {main}
              </Button>
            )
          )}
        </>
      }
    />
  )
}

/** Whether the content is saved, and where. */
function SaveStatus({
  saveStatus: { state, at },
  isEditing,
}: {
  saveStatus: DraftStatus<unknown>
  isEditing: boolean
}) {
  const isOffline = useOfflineSince() !== undefined
  if (state === 'new') return null
  const statusText = state === 'saved' && !isOffline ? texts.composer.savedAt(formatTime(at)) : texts.composer.keptHere
  return (
    <span data-testid="save-status" className={styles.saveStatus}>
      {isEditing ? `${statusText} ${texts.composer.notYetChanged}` : statusText}
    </span>
  )
}

/** Other drafts to continue with. */
function useDraftItems(present: string): MenuItem[] {
  const { data } = useApiQuery('GET /draft', { kind: 'post', _count: 30 })
  const others = (data?.Items ?? []).filter(({ Id, Title }) => Id !== present && Title !== '')
  return [
    { label: texts.composer.newOne, icon: 'plus', onSelect: () => navigate(`/app/compose?draft=${newDraftId()}`) },
    ...others.map(({ Id, Title, Modified }) => ({
      label: `${Title.slice(0, 40)} · ${formatRelativeTime(Date.parse(`${Modified.replace(' ', 'T')}Z`), now())}`,
      icon: 'write' as const,
      onSelect: () =>
        navigate(Id.startsWith('post-') ? `/app/compose?post=${Id.slice(5)}` : `/app/compose?draft=${Id}`),
    })),
  ]
}

/** The default workflow comes first. */
function useApprovalItems(onDone: (intent: Intent) => void, isNew: boolean): MenuItem[] {
  const { data } = useApiQuery('GET /workflow', {}, { enabled: isNew })
  if (!isNew) return []
  return (data?.Items ?? [])
    .filter(({ Status }) => Status === 'active')
    .sort((one, other) => other.IsDefault - one.IsDefault)
    .map(({ Id, Name, IsDefault }) => ({
      label: IsDefault ? texts.composer.throughDefault(Name) : texts.composer.through(Name),
      icon: 'approvals',
      onSelect: () => onDone({ workflowId: Id }),
    }))
}
