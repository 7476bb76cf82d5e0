//! Notifying a client of changes: to the resources it subscribed to, and to the list of resources.

use std::sync::Arc;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::task::JoinHandle;

use super::Server;
use crate::resources;
use crate::resources::subscriptions::{Scope, Subscriptions, Watcher, list_changed};

pub(super) struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Server {
    /// `resources/subscribe`
    pub(super) async fn watch(&self, uri: String) -> Result<(), ErrorData> {
        let subscriptions = Arc::clone(&self.subscriptions);
        let wanted = uri.clone();
        let found = self.blocking(move |session, _| {
            let scope = Scope::of(session.engine(), &session.settings().roots, &wanted)?;
            subscriptions.add(wanted, scope)
        });
        found.await.map_err(|error| resources::unreadable(&error, &uri))
    }

    /// Notifies a client of changes from now on, until it disconnects.
    pub(super) fn notify_client(&self, peer: Peer<RoleServer>) {
        let watcher = Watcher::new(self.session.engine());
        let subscriptions = Arc::clone(&self.subscriptions);
        let notify = async move {
            loop {
                let changes = watcher.next().await;
                let mut sent = Ok(());
                for uri in subscriptions.affected(&changes) {
                    sent = sent.and(peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await);
                }
                if list_changed(&changes) {
                    sent = sent.and(peer.notify_resource_list_changed().await);
                }
                if sent.is_err() && peer.is_transport_closed() {
                    return;
                }
            }
        };
        // A client that reports twice that it is initialized is notified once.
        self.notifying.get_or_init(|| Task(tokio::spawn(notify)));
    }

    /// `subscriptions/listen`, which replaces `resources/subscribe` from protocol version 2026-07-28 on.
    pub(super) async fn notify_subscription(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let watcher = Watcher::new(self.session.engine());
        let accepted = context.accepted();
        let (uris, list) = (accepted.resource_subscriptions.clone(), accepted.resources_list_changed == Some(true));
        let find = self.blocking(move |session, _| {
            Ok(Subscriptions::to(session.engine(), &session.settings().roots, &uris.unwrap_or_default()))
        });
        let subscriptions = find.await.map_err(super::protocol_error)?;
        loop {
            let changes = tokio::select! {
                changes = watcher.next() => changes,
                () = context.cancelled() => return Ok(()),
            };
            let mut sent = Ok(());
            for uri in subscriptions.affected(&changes) {
                sent = sent.and(context.sink().notify_resource_updated(uri).await);
            }
            if list && list_changed(&changes) {
                sent = sent.and(context.sink().notify_resource_list_changed().await);
            }
            if sent.is_err() {
                return Ok(());
            }
        }
    }
}
