//
//  Mill.swift
//  Copyright (c) 2024 The Mill Authors. All rights reserved.
//

import Foundation
@testable import struct Kit.Thing

/// A mill. It turns.
///
/// - Parameter T: what it grinds
@MainActor
@available(iOS 13, *)
public final class Mill<T: Grain>: NSObject, Turning where T: Hashable {
    public static let shared = Mill()
    private var wheel: Int = 0 {
        didSet { changed() }
    }
    lazy var level: Int = { make() }()
    let onTurn: (Int) -> Void = { by in run(by) }

    public init?(size: Int, _ name: String = "mill") throws {
        self.wheel = size
        super.init()
        setUp()
    }

    convenience init() { self.init(size: 1) }

    deinit { close() }

    /// Turns it.
    /// - Returns: how far
    @discardableResult
    open override func turn<U>(
        _ by: Int,
        with other: inout [U],
        done: @escaping (Int) async -> Void = { _ in }
    ) async throws -> Int where U: Grain {
        func inner() { deep() }
        let each = { (at: Int) in find(at) }
        try await wheel.next?.turn()
        self.parts.map { $0.grease() }
        return Grinder<Int>(1).grind()
    }

    subscript(at: Int) -> Int { return part(at) }

    static func == (left: Mill, right: Mill) -> Bool { same(left, right) }

    enum Kind: String, CaseIterable {
        case wind, water = "wet"
        case hand(Int)

        func isWet() -> Bool { self == .water }
    }

    struct Axle {
        mutating func grease() {}
    }

    fileprivate func hidden(handler: () async -> Void) {}
    class func build() {}
    typealias Corn = [T]
}

// MARK: - Turning

extension Mill: Codable where T: Codable {
    func encoded() async -> Data { encode(self) }
    init(from data: Data) { self.init() }
}

extension Array where Element == Int {
    /// Adds them.
    public func sum() -> Int { reduce(0, +) }
}

public protocol Turning: AnyObject {
    associatedtype Corn
    var level: Int { get }

    func need(_ kilos: Int) -> Int
    init(x: Int)
}

public actor Store {
    nonisolated func load() {}
}

func free(_ all: Int...) -> some View { Text("x").padding() }

let limit = 3
var count = 0
private struct Hidden { func x() {} }

func +++ (left: Int, right: Int) -> Int { 1 }

#if DEBUG
func debug() {}
#else
func release() {}
#endif

public typealias Pair<T> = (T, T)
indirect enum Tree { case leaf }
extension Mill.Axle { func spin() {} }
