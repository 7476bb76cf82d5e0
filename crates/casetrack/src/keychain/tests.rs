use std::cell::RefCell;
use std::collections::HashMap;

use super::*;

/// A keychain in memory, which can be locked, and can lose or change its entries.
#[derive(Default)]
struct Memory {
    entries: RefCell<HashMap<String, String>>,
    refusal: Option<Refusal>,
    forgetful: bool,
}

impl Memory {
    fn refused(&self) -> Result<(), Refusal> {
        self.refusal.clone().map_or(Ok(()), Err)
    }

    fn accounts(&self) -> Vec<String> {
        self.entries.borrow().keys().cloned().collect()
    }
}

impl Keychain for Memory {
    fn keep(&self, account: &str, _: &str, secret: &Password) -> Result<(), Refusal> {
        self.refused()?;
        if !self.forgetful {
            self.entries.borrow_mut().insert(account.to_owned(), secret.reveal().to_owned());
        }
        Ok(())
    }

    fn find(&self, account: &str) -> Result<Option<Password>, Refusal> {
        self.refused()?;
        Ok(self.entries.borrow().get(account).cloned().map(Password::from))
    }

    fn forget(&self, account: &str) -> Result<bool, Refusal> {
        self.refused()?;
        Ok(self.entries.borrow_mut().remove(account).is_some())
    }
}

fn vault(slots: &[&KeychainSlot]) -> VaultSlots {
    let keychain_slots = slots.iter().map(|slot| slot.id()).collect();
    VaultSlots { id: CollectionId::from_bytes([7; 16]), keychain_slots }
}

#[test]
fn what_is_kept_is_found_and_is_deleted_with_its_slot() {
    let (keychain, slot, elsewhere) =
        (Memory::default(), KeychainSlot::random().unwrap(), KeychainSlot::random().unwrap());
    let vault = vault(&[&elsewhere, &slot]);
    keep(&keychain, vault.id, &slot).unwrap();
    assert_eq!(keychain.accounts(), [format!("{}/{}", vault.id, slot.id())]);
    // The slot of another computer is passed over.
    assert_eq!(vault.secrets(&keychain).unwrap(), [slot.secret().clone()]);

    let said = vault.forget(Ok(&keychain), &elsewhere.id());
    assert!(said.contains("no entry for slot") && said.contains("another computer"), "{said}");
    let said = vault.forget(Ok(&keychain), &slot.id());
    assert!(said.contains("is deleted") && keychain.accounts().is_empty(), "{said}");
    // Lost, or never there.
    let said = vault.secrets(&keychain).unwrap_err();
    assert!(said.contains("has no entry for the vault"), "{said}");
}

#[test]
fn a_keychain_that_refuses_is_said_to() {
    let (mut keychain, slot) = (Memory::default(), KeychainSlot::random().unwrap());
    let vault = vault(&[&slot]);
    keep(&keychain, vault.id, &slot).unwrap();
    for (refusal, words) in [
        (Refusal::Absent, "There is no keychain"),
        (Refusal::Locked, "The keychain is locked"),
        (Refusal::Failed("out of order".to_owned()), "The keychain failed: out of order"),
    ] {
        keychain.refusal = Some(refusal.clone());
        let said = vault.secrets(&keychain).unwrap_err();
        assert_eq!(said, format!("{}, so another key must open the vault.", said.split(", so").next().unwrap()));
        assert!(said.starts_with(words), "{said}");
        let error = keep(&keychain, vault.id, &slot).unwrap_err();
        assert!(error.message.starts_with("The vault was not changed: ") && error.hint.is_some(), "{error}");
        let said = vault.forget(Err(refusal), &slot.id());
        assert!(said.contains("could not be deleted") && said.contains("no longer opens the vault"), "{said}");
        assert!(take_back(&keychain, vault.id, &slot).unwrap().contains("opens nothing"));
    }
    keychain.refusal = None;
    assert_eq!(keychain.accounts().len(), 1);
    assert_eq!(take_back(&keychain, vault.id, &slot), None);
    assert!(keychain.accounts().is_empty());
}

#[test]
fn a_keychain_that_does_not_keep_is_noticed_before_the_slot_is_added() {
    let keychain = Memory { forgetful: true, ..Memory::default() };
    let slot = KeychainSlot::random().unwrap();
    let error = keep(&keychain, vault(&[]).id, &slot).unwrap_err();
    assert!(error.message.contains("does not return"), "{error}");
}
