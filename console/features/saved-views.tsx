import { useState } from 'react'
import { told, useCall, useChange } from '@/api/queries.ts'
import { words } from '@/i18n/texts.ts'
import { go, useAddress } from '@/routes/router.ts'
import { Button, IconButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Popover } from '@/ui/popover.tsx'
import { say } from '@/ui/toasts.tsx'

interface SavedViewsProps {
  screen: 'calendar' | 'campaigns'
  /** What of the address is kept: how one looks, not what is open. */
  names: readonly string[]
}

/** Filters that somebody comes back to, kept on the server for them alone. */
export function SavedViews({ screen, names }: SavedViewsProps) {
  const { path, search } = useAddress()
  const [isOpen, setIsOpen] = useState(false)
  const [isSaving, setIsSaving] = useState(false)
  const { data } = useCall('GET /saved-view', { screen }, { enabled: isOpen })
  const remove = useChange('DELETE /saved-view/{id}', {
    stale: ['GET /saved-view'],
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
  })
  const w = words.campaigns.views
  const shown = kept(search, names)
  const views = data?.Items ?? []
  return (
    <>
      <Popover
        {...{ isOpen }}
        label={w.label}
        onToggle={setIsOpen}
        opener={(props) => (
          <button type="button" className="toggle-chip" {...props}>
            {w.label}
            <Icon name="down" />
          </button>
        )}
      >
        <div className="saved-views">
          {data && views.length === 0 && <p className="quiet">{w.none}</p>}
          <ul>
            {views.map(({ Id, Name, Search }) => (
              <li key={Id}>
                <button
                  type="button"
                  className="menu-item"
                  aria-pressed={Search === shown}
                  onClick={() => {
                    setIsOpen(false)
                    go(Search ? `${path}?${Search}` : path)
                  }}
                >
                  {Search === shown && <Icon name="check" />}
                  <span dir="auto">{Name}</span>
                </button>
                <IconButton
                  icon="trash"
                  label={w.remove(Name)}
                  onClick={() => remove.mutate({ id: Id }, { onSuccess: () => say(w.removed(Name)) })}
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
            {w.save}
          </Button>
        </div>
      </Popover>
      {isSaving && <Saving screen={screen} search={shown} onClose={() => setIsSaving(false)} />}
    </>
  )
}

interface SavingProps {
  screen: SavedViewsProps['screen']
  search: string
  onClose: () => void
}

function Saving({ screen, search, onClose }: SavingProps) {
  const [name, setName] = useState('')
  const [isAsked, setIsAsked] = useState(false)
  const w = words.campaigns.views
  const save = useChange('POST /saved-view', {
    stale: ['GET /saved-view'],
    done: () => {
      say(w.saved(name))
      onClose()
    },
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
  })
  const isMissing = name.trim() === ''
  return (
    <Dialog
      title={w.saveTitle}
      onClose={onClose}
      onSubmit={() => {
        setIsAsked(true)
        if (!isMissing) save.mutate({ screen, name, search })
      }}
    >
      <Field
        label={w.name}
        hint={w.nameHint}
        problem={isAsked && isMissing ? w.nameMissing : undefined}
        value={name}
        maxLength={64}
        dir="auto"
        onChange={setName}
      />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button type="submit" kind="main" busy={save.isPending}>
          {words.campaigns.save}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** In the same order whatever was pressed first, so that the same view is found again. */
function kept(search: URLSearchParams, names: readonly string[]): string {
  const found = new URLSearchParams()
  for (const name of names) {
    const value = search.get(name)
    if (value) found.set(name, value)
  }
  return found.toString().replaceAll('%2C', ',')
}
