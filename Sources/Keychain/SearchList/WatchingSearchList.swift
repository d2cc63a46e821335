extension KeychainSearchList: ChangeReporting {
  /// Calls `report` when one of the keychains has changed, as far as they can tell.
  ///
  /// - Throws: ``KeychainError`` if the default one can't tell.
  public func onChange(
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) -> ChangeSubscription {
    var subscriptions = [try home.store().reportingChanges().onChange(report)]
    for member in members where member !== home {
      do throws(KeychainError) {
        guard let store = try member.store() as? any ChangeReporting else { continue }
        subscriptions.append(try store.onChange(report))
      } catch {
        self.report(member, error)
      }
    }
    return ChangeSubscription { [subscriptions] in for subscription in subscriptions { subscription.cancel() }
    }
  }

  /// The items of all keychains that can tell of changes.
  public func revisions() throws(KeychainError) -> [ItemRevision] {
    var revisions = try home.store().reportingChanges().revisions().map { revision in
      ItemRevision(home.outward(revision.item, isHome: true), number: revision.number)
    }
    for member in members where member !== home {
      do throws(KeychainError) {
        guard let store = try member.store() as? any ChangeReporting else { continue }
        revisions += try store.revisions().map { revision in
          ItemRevision(member.outward(revision.item, isHome: false), number: revision.number)
        }
      } catch {
        report(member, error)
      }
    }
    return revisions
  }
}
