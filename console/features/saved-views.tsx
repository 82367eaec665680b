import { useState } from 'react'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import { navigate, useLocation } from '@/routes/router.ts'
import { Button, IconButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import * as filtersStyles from '@/ui/filters.module.css'
import { Icon } from '@/ui/icons.tsx'
import * as menuStyles from '@/ui/menu.module.css'
import { Popover } from '@/ui/popover.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './saved-views.module.css'

interface SavedViewsProps {
  screen: 'calendar' | 'campaigns'
  /** The search parameters to store: filters, not open items. */
  names: readonly string[]
}

/** Saved filters, stored on the server per user. */
export function SavedViews({ screen, names }: SavedViewsProps) {
  const { path, search } = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  const [isSaving, setIsSaving] = useState(false)
  const { data } = useApiQuery('GET /saved-view', { screen }, { enabled: isOpen })
  const remove = useApiMutation('DELETE /saved-view/{id}', {
    invalidates: ['GET /saved-view'],
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  const t = texts.campaigns.views
  const shown = viewSearch(search, names)
  const views = data?.Items ?? []
  return (
    <>
      <Popover
        {...{ isOpen }}
        label={t.label}
        onToggle={setIsOpen}
        trigger={(props) => (
          <button type="button" className={filtersStyles.toggleChip} {...props}>
            {t.label}
            <Icon name="down" />
          </button>
        )}
      >
        <div data-testid="saved-views" className={styles.savedViews}>
          {data && views.length === 0 && <p className="muted">{t.none}</p>}
          <ul>
            {views.map(({ Id, Name, Search }) => (
              <li key={Id}>
                <button
                  type="button"
                  data-ui="menu-item"
                  className={menuStyles.item}
                  aria-pressed={Search === shown}
                  onClick={() => {
                    setIsOpen(false)
                    navigate(Search ? `${path}?${Search}` : path)
                  }}
                >
                  {Search === shown && <Icon name="check" />}
                  <span dir="auto">{Name}</span>
                </button>
                <IconButton
                  icon="trash"
                  label={t.remove(Name)}
                  onClick={() => remove.mutate({ id: Id }, { onSuccess: () => toast(t.removed(Name)) })}
                />
              </li>
            ))}
          </ul>
          <Button
            icon="plus"
            onClick={() => {
              setIsOpen(false)
              setIsSaving(true)
            }}
          >
            {t.save}
          </Button>
        </div>
      </Popover>
      {isSaving && <SaveViewDialog screen={screen} search={shown} onClose={() => setIsSaving(false)} />}
    </>
  )
}

interface SavingProps {
  screen: SavedViewsProps['screen']
  search: string
  onClose: () => void
}

function SaveViewDialog({ screen, search, onClose }: SavingProps) {
  const [name, setName] = useState('')
  const [isDialogOpen, setIsDialogOpen] = useState(false)
  const t = texts.campaigns.views
  const save = useApiMutation('POST /saved-view', {
    invalidates: ['GET /saved-view'],
    onSuccess: () => {
      toast(t.saved(name))
      onClose()
    },
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  const isMissing = name.trim() === ''
  return (
    <Dialog
      title={t.saveTitle}
      onClose={onClose}
      onSubmit={() => {
        setIsDialogOpen(true)
        if (!isMissing) save.mutate({ screen, name, search })
      }}
    >
      <Field
        label={t.name}
        hint={t.nameHint}
        error={isDialogOpen && isMissing ? t.nameMissing : undefined}
        value={name}
        maxLength={64}
        dir="auto"
        onChange={setName}
      />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button type="submit" variant="primary" busy={save.isPending}>
          {texts.campaigns.save}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** In a fixed order, so that equal views compare as equal. */
function viewSearch(search: URLSearchParams, names: readonly string[]): string {
  const found = new URLSearchParams()
  for (const name of names) {
    const value = search.get(name)
    if (value) found.set(name, value)
  }
  return found.toString().replaceAll('%2C', ',')
}
