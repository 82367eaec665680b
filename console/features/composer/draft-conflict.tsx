import { useState } from 'react'
import { texts } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import * as composerStyles from './composer.module.css'
import { type Composition, nameOf } from './composition.ts'
import type { DraftContent } from './draft.ts'
import * as styles from './problems.module.css'

interface DraftConflictProps {
  mine: DraftContent
  theirs: DraftContent
  onSettle: (choice: 'mine' | 'theirs') => void
  onClose: () => void
}

/** The same draft was edited in two windows or devices. Both versions are kept until one is chosen; a dismissed dialog can be reopened. */
export function DraftConflict(props: Omit<DraftConflictProps, 'onClose'>) {
  const [isDismissed, setIsDismissed] = useState(false)
  if (!isDismissed) return <DraftConflictDialog {...props} onClose={() => setIsDismissed(true)} />
  return (
    <p data-ui="notice" className={`${styles.notice} ${composerStyles.conflictAside}`} data-changed role="status">
      {texts.composer.twoDrafts}
      <Button onClick={() => setIsDismissed(false)}>{texts.composer.lookWhat}</Button>
    </p>
  )
}

const DraftConflictDialog = ({ mine, theirs, onSettle, onClose }: DraftConflictProps) => (
  <Dialog title={texts.composer.twoDrafts} data-testid="conflict" className={composerStyles.conflict} onClose={onClose}>
    <p>{texts.composer.twoDraftsWhy}</p>
    <div className={composerStyles.conflictSides}>
      <Side name={texts.composer.mine} text={nameOfAll(mine.composition)} />
      <Side name={texts.composer.theirs} text={nameOfAll(theirs.composition)} />
    </div>
    <DialogActions>
      <Button onClick={() => onSettle('theirs')}>{texts.composer.takeTheirs}</Button>
      <Button variant="primary" onClick={() => onSettle('mine')}>
        {texts.composer.keepMine}
      </Button>
    </DialogActions>
  </Dialog>
)

const nameOfAll = (composition: Composition) => composition.text || nameOf(composition)

const Side = ({ name, text }: { name: string; text: string }) => (
  <section>
    <h3>{name}</h3>
    <p className={composerStyles.conflictText} dir="auto">
      {text || <span className="muted">{texts.composer.nothingWritten}</span>}
    </p>
  </section>
)
